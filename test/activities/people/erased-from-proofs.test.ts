import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { sendProofs } from '../../../core/mailings/send-proofs.ts';
import { removeBelongings } from '../../../core/people/removal.ts';
import { createPool } from '../../../db/pool.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import type { Relay } from '../../../mail/contracts.ts';
import { createDatabase } from '../../support/database.ts';
import { erase } from '../../support/erasing.ts';
import { Opened } from '../../support/relay.ts';
import { queueMailing, ScriptedRelay } from '../../support/sending.ts';

const REVIEWERS = ['ann@example.org', 'bob@example.org'];

describe('proofs that are on their way while somebody is erased', () => {
  let pool: pg.Pool;
  let ann: number;
  let mailingId: number;
  let jobId: number;
  before(async () => {
    pool = createPool(await createDatabase(), 5);
  });
  after(() => pool.end());
  beforeEach(async () => {
    await pool.query('delete from core_user');
    mailingId = await queueMailing(pool, 3);
    const { rows } = await pool.query(`insert into core_user (email) values ('ann@example.org') returning id`);
    ann = rows[0].id;
    await pool.query(`update core_mailing set html = '<p>Dear {{ user.first_name }}</p>' where id = $1`, [mailingId]);
    const job = await pool.query('insert into core_mailingproof (mailing_id, proofs, reviewers) values ($1, 2, $2) returning id', [
      mailingId,
      JSON.stringify(REVIEWERS),
    ]);
    jobId = job.rows[0].id;
  });

  const send = (relay: Relay) => {
    const deps = { pool, env: readEnv({}), relay, log: console };
    return sendProofs(deps as never, mailingId, jobId, async () => {});
  };
  const job = async () =>
    (await pool.query('select sent, errors, success, reviewers from core_mailingproof where id = $1', [jobId])).rows[0];

  it('go to no reviewer who was erased, and show nobody who was', async () => {
    const relay = new ScriptedRelay(1);
    const shown: string[] = [];
    relay.answer = async ({ message }, nth) => {
      shown.push(/Dear (\w*)/.exec(message.replace(/=\r?\n/g, ''))![1]!);
      if (nth === 1) {
        const { rows } = await pool.query('select id from core_user where first_name <> $1 and first_name like $2', [shown[0], 'P%']);
        for (const id of [ann, rows[0].id]) await erase(pool, id);
      }
      return { kind: 'accepted', reply: '250' };
    };
    equal(await send(relay), 3);
    deepEqual(relay.written, ['ann@example.org', 'bob@example.org', 'bob@example.org']);
    // Of who was erased there is a row without a name.
    const { rows } = await pool.query('select first_name from core_user');
    const there = rows.map((row) => row.first_name);
    deepEqual(
      shown.filter((name) => !there.includes(name)),
      [],
    );
    deepEqual(await job(), {
      sent: 3,
      errors: ['proof 2 for reviewer 1: they were erased meanwhile'],
      success: false,
      reviewers: ['bob@example.org'],
    });
  });

  it('go to all others also where they are tried again after that', async () => {
    const relay = new ScriptedRelay(1);
    relay.answer = async (_, nth) => {
      if (nth !== 4) return { kind: 'accepted', reply: '250' };
      await erase(pool, ann);
      return { kind: 'unsent', reply: '421', relay: 'down' } as never;
    };
    await rejects(send(relay), /the relay is not taking mail/);
    equal(await send(relay), 4);
    deepEqual(relay.written, ['ann@example.org', 'bob@example.org', 'ann@example.org', 'bob@example.org']);
    deepEqual(await job(), { sent: 4, errors: [], success: true, reviewers: ['bob@example.org'] });
  });

  it('go to all reviewers as often also where one of those they are made for is deleted before they are tried again', async () => {
    await pool.query('update core_mailingproof set proofs = 3 where id = $1', [jobId]);
    const relay = new ScriptedRelay(1);
    relay.answer = async (_, nth) => {
      if (nth !== 4) return { kind: 'accepted', reply: '250' };
      const { rows } = await pool.query('select max(user_ids[1]) as id from send_set where mailing_id = $1', [mailingId]);
      await inOneTransaction(pool, async (sql) => {
        await removeBelongings(sql, rows[0].id);
        await sql('delete from core_user where id = $1', [rows[0].id]);
      });
      return { kind: 'unsent', reply: '421', relay: 'down' } as never;
    };
    await rejects(send(relay), /the relay is not taking mail/);
    equal(await send(relay), 4);
    deepEqual(relay.written.toSorted(), [...REVIEWERS, ...REVIEWERS].toSorted());
    deepEqual(await job(), { sent: 4, errors: [], success: true, reviewers: REVIEWERS });
  });

  for (const [when, at, kind] of [
    ['after', 2, 'failed'],
    ['before', 1, 'failed'],
    ['before', 1, 'unsent'],
  ] as const)
    it(`leave none of the relay’s words about a reviewer whose erasure comes ${when} it has said them (${kind})`, async () => {
      const relay = new ScriptedRelay(1);
      relay.answer = async (_, nth) => {
        if (nth === at) await erase(pool, ann);
        return nth === 1 ? { kind, reply: '550 <ann@example.org> is unknown', relay: 'down' } : { kind: 'accepted', reply: '250' };
      };
      await send(relay).catch(() => {});
      const { rows } = await pool.query('select errors::text || waits_for as said from core_mailingproof where id = $1', [jobId]);
      doesNotMatch(rows[0].said, /ann@/);
      match(rows[0].said, kind === 'unsent' ? /the relay is not taking mail/ : /proof 1 for reviewer 1: /);
      await send(relay);
      deepEqual([(await job()).sent, (await job()).errors.length], [2, 2]);
    });

  it('are not written any more by a worker that stood still over them for longer than another one waits: that one sends them anew', async () => {
    const opened = new Opened();
    let stands = async () => {};
    const { relay, lines } = await opened.relayThatWaits(() => stands());
    let deleted = '';
    stands = async () => {
      stands = async () => {};
      const { rows } = await pool.query<{ id: number; first_name: string }>(
        `select id, first_name from core_user where first_name like 'P%'`,
      );
      deleted = rows.map(({ first_name }) => first_name).join('|');
      for (const { id } of rows) await erase(pool, id);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000);
    };
    await rejects(send(relay), /the relay is not taking mail/);
    ok(deleted);
    deepEqual(
      lines.filter((line) => new RegExp(`Dear (${deleted})`).test(line)),
      [],
    );
    equal((await job()).sent, 0);
    await send(relay);
    equal(lines.filter((line) => line === '.').length, (await job()).sent);
    await opened.end();
  });
});
