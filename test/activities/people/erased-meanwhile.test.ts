import { deepEqual, equal } from 'node:assert/strict';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { type Crm, CrmRefused } from '../../../core/crm/crm.ts';
import { type ClaimedMapping, MappingHold } from '../../../core/crm/mapping.ts';
import { integrateOne, type PartnerParts } from '../../../core/crm/partner/integrate.ts';
import { PARTNER_SOURCES } from '../../../core/crm/partner/sources.ts';
import { recordBounce } from '../../../core/people/bounces.ts';
import { eraseUser } from '../../../core/people/erase.ts';
import { sendOnce } from '../../../core/people/send-once.ts';
import { createPool } from '../../../db/pool.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { createDatabase } from '../../support/database.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { untilWaiting } from '../../support/sessions.ts';

const EMAIL = 'zed@example.org';
const ENVELOPE = { envelopeFrom: 'bounce@example.org', envelopeTo: EMAIL, message: '' };

describe('an answer that comes after its user was erased', () => {
  let pool: pg.Pool;
  let user: number;

  before(async () => {
    pool = createPool(await createDatabase(), 5);
  });
  after(() => pool.end());
  beforeEach(async () => {
    await pool.query('delete from core_user');
    user = await id('insert into core_user (email) values ($1) returning id', [EMAIL]);
  });

  const id = async (text: string, values: unknown[] = []): Promise<number> => (await pool.query(text, values)).rows[0].id;
  async function erase(): Promise<void> {
    const job = await id('insert into core_erasure (user_id) values ($1) returning id', [user]);
    await inOneTransaction(pool, (sql) => eraseUser(sql, job, 'secret'));
  }
  async function traces(): Promise<string[]> {
    const { rows } = await pool.query<{ tablename: string }>(`select tablename from pg_tables where schemaname = 'public'`);
    const found: string[] = [];
    for (const { tablename } of rows) {
      const { rowCount } = await pool.query(`select 1 from "${tablename}" x where x::text ilike $1 limit 1`, [`%${EMAIL}%`]);
      if (rowCount) found.push(tablename);
    }
    return found;
  }

  for (const [what, table, make] of [
    ['a confirmation', 'core_transactionalmailing', `insert into core_transactionalmailing (user_id) values ($1) returning id`],
    [
      'a final proof',
      'core_mailingnotice',
      `with m as (insert into core_mailing default values returning id)
       insert into core_mailingnotice (mailing_id, kind, reviewer_id) select id, 'final_proof', $1 from m returning id`,
    ],
  ] as const) {
    for (const kind of ['failed', 'uncertain', 'unsent', 'accepted'] as const) {
      it(`of the relay about ${what} (${kind}) is told, its words are not kept`, async () => {
        const mail = await id(make, [user]);
        const relay = new ScriptedRelay(1);
        relay.answer = async () => {
          await erase();
          return { kind, reply: `550 <${EMAIL}>`, relay: 'busy' } as never;
        };
        await sendOnce(pool, table, mail, async () => ({ mail: ENVELOPE, relay })).catch(() => {});
        const { rows } = await pool.query(`select status, detail from ${table} where id = $1`, [mail]);
        const status = { failed: 'failed', uncertain: 'uncertain', unsent: 'skipped', accepted: 'sent' }[kind];
        deepEqual(rows, [{ status, detail: 'not kept: this user was erased' }]);
        deepEqual(await traces(), []);
      });
    }

    it(`${what} that has not begun is not sent, also when its mail was made before`, async () => {
      const mail = await id(make, [user]);
      const relay = new ScriptedRelay(1);
      await sendOnce(pool, table, mail, async () => {
        await erase();
        return { mail: ENVELOPE, relay };
      });
      deepEqual(relay.written, []);
      const { rows } = await pool.query(`select status from ${table} where id = $1`, [mail]);
      deepEqual(rows, [{ status: 'skipped' }]);
    });

    it(`${what} that was refused before says nothing of it any more`, async () => {
      await id(make, [user]);
      await pool.query(`update ${table} set status = 'failed', detail = $1`, [`550 <${EMAIL.toUpperCase()}>`]);
      await erase();
      deepEqual(await traces(), []);
    });
  }

  it('in the form of a bounce is counted, its words are not kept', async () => {
    await erase();
    const bounce = {
      userId: user,
      mailingId: null,
      kind: 'hard',
      code: '5.1.1',
      diagnostic: `550 <${EMAIL}>`,
      addresses: [EMAIL],
      reportId: 'r1',
    } as const;
    equal(typeof (await inOneTransaction(pool, (sql) => recordBounce(sql, bounce, { limit: 3, days: 30 }))), 'number');
    deepEqual(await traces(), []);
  });

  it('of the CRM is told, its words are not kept', async () => {
    const mapping = await id('insert into core_crmmap (user_id) values ($1) returning id', [user]);
    const hold = new MappingHold(pool, 'somebody', 10_000);
    const claimed = (await hold.claim(mapping)) as ClaimedMapping;
    await erase();
    await hold.refused(claimed, `422: ${EMAIL} is there twice`, null);
    const { rows } = await pool.query('select status, last_error from core_crmmap where id = $1', [mapping]);
    deepEqual(rows, [{ status: 'disconnected', last_error: 'not kept: this user was erased' }]);
    deepEqual(await traces(), []);
  });

  it('of the partner system is told, its words are not kept', async () => {
    const partner = {
      createContact: async () => {
        await erase();
        throw new CrmRefused(`422: ${EMAIL} is there twice`);
      },
    } as unknown as Crm;
    const pace = { wait: async () => {}, hold: async () => {} };
    const parts = {
      deps: { pool, env: readEnv({ DATABASE_URL: 'postgres://127.0.0.1/none' }), log: console },
      partner,
      pace,
    } as unknown as PartnerParts;
    parts.deps.log.warn = () => {};
    equal(await integrateOne(parts, PARTNER_SOURCES[0]!, user), 'refused');
    const { rows } = await pool.query('select error from partner_intent');
    deepEqual(rows, [{ error: 'not kept: this user was erased' }]);
    deepEqual(await traces(), []);
  });

  for (const [what, source, kind] of [
    ['a donation', PARTNER_SOURCES[1]!, 'order'],
    ['a payment', PARTNER_SOURCES[2]!, 'transaction'],
  ] as const)
    it(`of the partner system about ${what}, which was asked about while the erasure was under way, is told, its words are not kept`, async () => {
      await pool.query('delete from partner_intent');
      const page = await id(`insert into core_page (name, title, type) values ($1, '', 'donation') returning id`, [kind]);
      const action = await id('insert into core_action (user_id, page_id) values ($1, $2) returning id', [user, page]);
      const detail = await id('insert into core_orderuserdetail (user_id) values ($1) returning id', [user]);
      const order = await id(
        `insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted)
         select $1, $2, $3, min(id), 5, 5 from core_paymentaccount returning id`,
        [action, user, detail],
      );
      const payment = await id(
        `insert into core_transaction (type, order_id, account_id, amount, amount_converted, currency)
         select 'sale', id, account_id, 5, 5, currency from core_order where id = $1 returning id`,
        [order],
      );
      await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, 1)', [user]);
      const partner = {
        createContribution: async () => {
          throw new CrmRefused(`422: ${EMAIL} is there twice`);
        },
      } as unknown as Crm;
      const deps = { pool, env: readEnv({ DATABASE_URL: 'postgres://127.0.0.1/none' }), log: { warn() {} } };
      const parts = { deps, partner, pace: { wait: async () => {}, hold: async () => {} } } as unknown as PartnerParts;
      const job = await id('insert into core_erasure (user_id) values ($1) returning id', [user]);
      const { ended } = await inOneTransaction(pool, async (sql) => {
        await eraseUser(sql, job, 'secret');
        const trying = integrateOne(parts, source, kind === 'order' ? order : payment);
        await untilWaiting(pool, 1, trying);
        return { ended: trying };
      });
      equal(await ended, 'refused');
      deepEqual((await pool.query('select kind, error from partner_intent')).rows, [{ kind, error: 'not kept: this user was erased' }]);
      deepEqual(await traces(), []);
    });
});
