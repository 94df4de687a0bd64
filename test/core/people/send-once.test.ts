import { deepEqual, equal, rejects } from 'node:assert/strict';
import type pg from 'pg';
import { sendOnce } from '../../../core/people/send-once.ts';
import { createPool } from '../../../db/pool.ts';
import type { Outcome } from '../../../mail/contracts.ts';
import { createDatabase } from '../../support/database.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { startStatementProxy } from '../../support/statement-proxy.ts';

describe('a mail to one person', () => {
  let pool: pg.Pool;
  let url: string;
  before(async () => {
    url = await createDatabase();
    pool = createPool(url, 3);
  });
  after(() => pool.end());

  // A worker that the workflow service does not hear is given up, and goes on.
  for (const [outcome, becomes, sent] of [
    [{ kind: 'accepted', reply: '250 ok' }, 'sent', 1],
    [{ kind: 'failed', reply: '550 no' }, 'failed', 1],
    [{ kind: 'uncertain', reply: 'lost' }, 'uncertain', 1],
    [{ kind: 'unsent', relay: 'down', reply: 'no connection' }, 'pending', 2],
    [{ kind: 'deferred', reply: '450 later' }, 'pending', 2],
  ] as [Outcome, string, number][])
    it(`whose sender was given up before the relay answered (${outcome.kind}) is ${becomes}, and sent ${sent === 1 ? 'once' : 'again'}`, async () => {
      const { rows } = await pool.query(
        `with u as (insert into core_user (email) values ($1) returning id)
         insert into core_transactionalmailing (user_id) select id from u returning id`,
        [`${outcome.kind}@example.org`],
      );
      const id: number = rows[0].id;
      const status = async () => (await pool.query('select status from core_transactionalmailing where id = $1', [id])).rows[0].status;
      const relay = new ScriptedRelay(1);
      let asked = 0;
      relay.answer = async () => {
        asked++;
        if (asked > 1) return { kind: 'accepted', reply: '250 ok' };
        await send();
        equal(await status(), 'uncertain');
        return outcome;
      };
      const mail = { envelopeFrom: 'bounce@example.org', envelopeTo: `${outcome.kind}@example.org`, message: '' };
      const send = () => sendOnce(pool, 'core_transactionalmailing', id, async () => ({ mail, relay }));
      await send().catch(() => {});
      equal(await status(), becomes);
      await send();
      deepEqual([asked, await status()], [sent, becomes === 'pending' ? 'sent' : becomes]);
    });

  it('goes out once where its first sender, cut off as it put it back, goes on when another one is at it', async () => {
    const { rows } = await pool.query(
      `with u as (insert into core_user (email) values ('cutoff@example.org') returning id)
       insert into core_transactionalmailing (user_id) select id from u returning id`,
    );
    const [reached, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const relay = new ScriptedRelay(1);
    relay.answer = async () => {
      if (++asked === 1) return { kind: 'unsent', relay: 'down', reply: 'no connection' };
      reached.resolve();
      await answers.promise;
      return { kind: 'accepted', reply: '250 ok' };
    };
    const mail = { envelopeFrom: 'bounce@example.org', envelopeTo: 'cutoff@example.org', message: '' };
    const sendBy = (by: pg.Pool) => sendOnce(by, 'core_transactionalmailing', rows[0].id, async () => ({ mail, relay }));
    let other: Promise<void> | null = null;
    const query = async (text: string, values?: unknown[]) => {
      const answer = await pool.query(text, values);
      if (other || !text.includes('put_off_since = case')) return answer;
      other = sendBy(pool);
      await reached.promise;
      throw new Error('Connection terminated unexpectedly');
    };
    await sendBy(Object.create(pool, { query: { value: query } })).catch(() => {});
    answers.resolve();
    await other;
    await sendBy(pool);
    const { rows: ended } = await pool.query('select status from core_transactionalmailing where id = $1', [rows[0].id]);
    deepEqual([asked, ended[0].status], [2, 'sent']);
  });

  // Carried out late, as of now: what its sender has given up, and said once more.
  for (const [outcome, becomes] of [
    [{ kind: 'accepted', reply: '250 ok' }, 'sent'],
    [{ kind: 'uncertain', reply: 'lost' }, 'uncertain'],
  ] as [Outcome, string][])
    it(`goes to the relay once more, and no more than that, where word that it waits arrives when another one has it (${becomes})`, async () => {
      const { rows } = await pool.query(
        `with u as (insert into core_user (email) values ($1) returning id)
         insert into core_transactionalmailing (user_id) select id from u returning id`,
        [`late-${becomes}@example.org`],
      );
      const id: number = rows[0].id;
      let late = async (): Promise<unknown> => null;
      let asked = 0;
      const relay = new ScriptedRelay(1);
      relay.answer = async () => {
        if (++asked === 1) return { kind: 'unsent', relay: 'down', reply: 'no connection' };
        if (asked === 2 && becomes === 'sent') await late();
        return outcome;
      };
      const mail = { envelopeFrom: 'bounce@example.org', envelopeTo: 'late@example.org', message: '' };
      const sendBy = (by: pg.Pool) => sendOnce(by, 'core_transactionalmailing', id, async () => ({ mail, relay }));
      let held = false;
      const query = async (text: string, values?: unknown[]) => {
        if (held || !text.includes('put_off_since = case')) return pool.query(text, values);
        held = true;
        late = () => pool.query(text, values);
        throw new Error('Connection terminated unexpectedly');
      };
      await sendBy(Object.create(pool, { query: { value: query } })).catch(() => {});
      await sendBy(pool);
      if (becomes === 'uncertain') await late();
      await sendBy(pool);
      const { rows: ended } = await pool.query('select status from core_transactionalmailing where id = $1', [id]);
      deepEqual([held, asked, ended[0].status], [true, 2, becomes]);
    });

  it('goes out where the database was lost while it was being marked: nobody has it then', async () => {
    let lost = 0;
    const proxy = await startStatementProxy(url, () => (_nth, { text, values }) => {
      if (
        lost > 0 ||
        !/^\s*update core_transactionalmailing/.test(text) ||
        !`${text} ${values}`.includes('sending') ||
        values.includes('uncertain')
      )
        return 'pass';
      lost++;
      return 'lose';
    });
    const near = createPool(Object.assign(new URL(url), { port: String(proxy.port) }).href, 2);
    const { rows } = await pool.query(
      `with u as (insert into core_user (email) values ('claimed@example.org') returning id)
       insert into core_transactionalmailing (user_id) select id from u returning id`,
    );
    const relay = new ScriptedRelay(1);
    const mail = { envelopeFrom: 'bounce@example.org', envelopeTo: 'claimed@example.org', message: '' };
    const send = () => sendOnce(near, 'core_transactionalmailing', rows[0].id, async () => ({ mail, relay }));
    await rejects(send());
    deepEqual([lost, relay.written.length], [1, 0]);
    await send();
    deepEqual((await pool.query('select status, detail from core_transactionalmailing where id = $1', [rows[0].id])).rows, [
      { status: 'sent', detail: '' },
    ]);
    equal(relay.written.length, 1);
    await near.end();
    proxy.close();
  });
});
