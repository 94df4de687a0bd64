import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnv } from '../../../config/env.ts';
import type { Contact, Crm } from '../../../core/crm/crm.ts';
import { integrateOne } from '../../../core/crm/partner/integrate.ts';
import { PARTNER_SOURCES } from '../../../core/crm/partner/sources.ts';
import { syncBatch } from '../../../core/crm/round.ts';
import { type SyncParts, syncMapping } from '../../../core/crm/sync-mapping.ts';
import type { Pool } from '../../../db/driver.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { untilWaiting } from '../../support/sessions.ts';

// A try may write to a contact for as long as a request can last after it renewed its lease, and the margin that is left beside that.

const TIMEOUT_MS = 1000;
const LEASE_MS = TIMEOUT_MS + 3000;

describe('two tries at one contact', () => {
  let pool: Pool;
  const env = readEnv({ CRM_TIMEOUT_MS: String(TIMEOUT_MS) });
  const log = { info() {}, warn() {}, error() {} };
  let written: string[] = [];
  let underWay = 0;
  let most = 0;

  before(async () => {
    pool = createPool(await createDatabase(), 6);
  });
  after(() => pool.end());
  beforeEach(async () => {
    [written, underWay, most] = [[], 0, 0];
    await pool.query('truncate core_crmmap, partner_intent; delete from core_user');
    await pool.query(`insert into core_user (id, email, first_name) values (1, 'ada@example.org', 'Ada')`);
    await pool.query(`insert into core_crmmap (id, user_id, crm_id) values (1, 1, 'c1')`);
  });

  const write = async ({ first_name: name }: Contact) => {
    most = Math.max(most, ++underWay);
    await sleep(300);
    written.push(name);
    underWay--;
  };
  const crm = {
    findByRef: async () => null,
    updateContact: async (_id: string, contact: Contact) => write(contact).then(() => 'updated' as const),
    createContact: async (contact: Contact) => write(contact).then(() => String(written.length)),
  } as unknown as Crm;
  const parts = (of: Pool, wait: () => Promise<void> = async () => {}) =>
    ({
      deps: { pool: of, env, log, shuttingDown: new AbortController().signal },
      crm,
      partner: crm,
      pace: { wait, hold: async () => {} },
    }) as unknown as SyncParts & { partner: Crm };
  /** The pool of a worker that stands still right after it was told that a lease is its own, until it is woken. */
  function standingStill(renewal: RegExp) {
    const [stands, wakes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const query = async (asked: { text?: string } | string, values?: unknown[]) => {
      const answer = await pool.query(asked as string, values);
      if (renewal.test(typeof asked === 'string' ? asked : asked.text!)) {
        stands.resolve();
        await wakes.promise;
      }
      return answer;
    };
    return { of: Object.create(pool, { query: { value: query } }) as Pool, stands: stands.promise, wake: wakes.resolve };
  }
  /** Once so many wait for the mapping. */
  const waiting = async (many: number) => {
    await untilWaiting(pool, many);
  };

  it('never write to it at once, also where the mapping was held for longer than a lease', async () => {
    const holder = await pool.connect();
    const [paced, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const one = syncMapping(
      parts(pool, () => {
        paced.resolve();
        return held.promise;
      }),
      1,
    );
    await paced.promise;
    await holder.query('begin; select from core_crmmap where id = 1 for update');
    held.resolve();
    await sleep(LEASE_MS + 300);
    const other = syncMapping(parts(pool), 1);
    await waiting(2);
    await holder.query('commit');
    holder.release();
    const ends = await Promise.all([one, other]);
    deepEqual([most, written, ends.filter(({ kind }) => kind === 'synced').length], [1, ['Ada'], 1]);
  });

  it('do not put what somebody was in the place of what they are, where one stood still before it wrote', async () => {
    const { of, stands, wake } = standingStill(/held_until = .* returning status/);
    const asleep = syncMapping(parts(of), 1);
    await stands;
    await sleep(LEASE_MS + 300);
    await pool.query(`update core_user set first_name = 'Grace', updated_at = now() where id = 1`);
    equal((await syncMapping(parts(pool), 1)).kind, 'synced');
    wake();
    equal((await asleep).kind, 'idle');
    deepEqual(written, ['Grace']);
  });

  it('make one record at the partner system', async () => {
    const { of, stands, wake } = standingStill(/update partner_intent set held_until/);
    const asleep = integrateOne(parts(of), PARTNER_SOURCES[0]!, 1);
    await stands;
    await sleep(LEASE_MS + 300);
    equal(await integrateOne(parts(pool), PARTNER_SOURCES[0]!, 1), 'created');
    wake();
    equal(await asleep.catch((error: Error) => error.message), 'another try took over');
    deepEqual(written, ['Ada']);
  });

  it('a lease that a dead worker left before the clock of the database was set back is over minutes later, not when the clock is where it was', async () => {
    const minutesLeft = async (table: string) =>
      (await pool.query(`select (extract(epoch from held_until - now()) / 60)::float8 as left from ${table}`)).rows[0].left;
    const inTwoDays = `held_by = 'dead', held_until = now() + interval '2 days'`;
    await pool.query(`update core_crmmap set ${inTwoDays}`);
    equal((await syncMapping(parts(pool), 1)).kind, 'later');
    ok((await minutesLeft('core_crmmap')) < 11);
    await pool.query(`update core_crmmap set ${inTwoDays}`);
    const batch = await syncBatch(parts(pool), { after: 0 }, () => {});
    deepEqual([batch.synced, batch.finished], [0, true]);
    ok((await minutesLeft('core_crmmap')) < 11, 'a round comes by it, too');

    await pool.query(`insert into partner_intent (kind, local_id) values ('user', 1); update partner_intent set ${inTwoDays}`);
    equal(await integrateOne(parts(pool), PARTNER_SOURCES[0]!, 1), 'skipped');
    ok((await minutesLeft('partner_intent')) < 11);
    deepEqual(written, []);
    await pool.query('update core_crmmap set held_until = now(); update partner_intent set held_until = now()');
    equal((await syncMapping(parts(pool), 1)).kind, 'synced');
    equal(await integrateOne(parts(pool), PARTNER_SOURCES[0]!, 1), 'created');
  });
});
