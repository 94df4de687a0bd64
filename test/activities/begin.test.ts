import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type BegunSend, createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { inActivity } from '../support/in-activity.ts';
import { idIn } from '../support/mailings.ts';
import { queueMailing } from '../support/sending.ts';

// Beginning reads the whole ledger, which takes its time with millions; here it waits for a table that is locked.
describe('beginning a large mailing', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** Begins a mailing, does something while that is under way, and lets it end. */
  async function begun(meanwhile: (id: number) => Promise<unknown>): Promise<{ id: number; result: BegunSend | Error }> {
    const { pool } = api;
    const id = await queueMailing(pool, 5);
    const deps = { pool, sendPool: pool, env: readEnv({ SEND_LANES: '1' }), temporal: {}, log: console } as unknown as ActivityDeps;
    const { beginSending } = inActivity(createSendActivities(deps));
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('lock table send_tally in exclusive mode');
    const result = beginSending(id, null).catch((error: Error) => error) as Promise<BegunSend | Error>;
    for (let waiting = 0; waiting === 0; ) {
      await sleep(20);
      const { rows } = await pool.query(
        `select count(*)::int as n from pg_locks where relation = 'send_tally'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      );
      waiting = rows[0].n;
    }
    await meanwhile(id);
    await holder.query('rollback');
    holder.release();
    return { id, result: await result };
  }

  const mailing = async (id: number) =>
    (
      await api.pool.query(
        'select status, started_at is not null as started, (select count(*)::int from send_run r where r.mailing_id = m.id) as runs from core_mailing m where id = $1',
        [id],
      )
    ).rows[0];

  it('does not keep a stop waiting, and begins nothing that was stopped meanwhile', async () => {
    let answered = 0;
    // The beginning goes on only after this answer.
    const { id, result } = await begun(async (mailingId) => {
      answered = (await api.call('POST', `/rest/v1/mailer/${mailingId}/stop/`)).statusCode;
    });
    equal(answered, 202);
    ok(!(result instanceof Error) && result.stopRequested === true, String(result));
    deepEqual(await mailing(id), { status: 'queued', started: false, runs: 0 });
  });

  it('begins nothing where the run has recorded its end meanwhile', async () => {
    const { id, result } = await begun(async (mailingId) => {
      const { finishSend } = inActivity(createSendActivities({ pool: api.pool, env: readEnv({}) } as ActivityDeps));
      await finishSend({ mailingId, outcome: 'stopped', reasons: [] });
    });
    equal((result as Error).message, 'this mailing is no longer waiting to be sent');
    deepEqual(await mailing(id), { status: 'draft', started: false, runs: 0 });
  });

  it('is done anew with what was changed meanwhile', async () => {
    const { id, result } = await begun((mailingId) =>
      api.pool.query(`update core_mailing set html = '<p>Changed</p>' where id = $1`, [mailingId]),
    );
    deepEqual([(result as BegunSend).pending, (result as BegunSend).stopRequested], [5, false]);
    deepEqual(await mailing(id), { status: 'sending', started: true, runs: 1 });
    const { rows } = await api.pool.query(`select content::text like '%Changed%' as changed from send_run where mailing_id = $1`, [id]);
    equal(rows[0].changed, true);
  });

  // As while the reports it shows are read: nothing is held then.
  for (const change of [{ scheduled_for: '2041-01-01T00:00:00' }, { rebuild_query_at_send: true }]) {
    it(`begins nothing where ${Object.keys(change)} was changed since it was opened`, async () => {
      const { pool } = api;
      const id = await queueMailing(pool, 5, { scheduledFor: new Date(Date.now() - 1000) });
      const deps = { pool, sendPool: pool, env: readEnv({ SEND_LANES: '1' }), temporal: {}, log: console } as unknown as ActivityDeps;
      const { openSend, beginSending, markRebuilding } = inActivity(createSendActivities(deps));
      const { timing } = await openSend(id);
      equal((await api.call('PATCH', `/rest/v1/mailer/${id}/`, change)).statusCode, 202);
      equal((await beginSending(id, null, timing)).queuedAgain, true);
      equal(await markRebuilding(id, null, timing), false);
      deepEqual(await mailing(id), { status: 'scheduled', started: false, runs: 0 });
      const again = await openSend(id);
      equal((await beginSending(id, null, again.timing)).queuedAgain, false);
      deepEqual(await mailing(id), { status: 'sending', started: true, runs: 1 });
    });
  }

  it('begins nothing without a from line: one that was deleted while the mailing was scheduled is not made up for by the default', async () => {
    const { pool } = api;
    const id = await queueMailing(pool, 5, { scheduledFor: new Date(Date.now() - 1000) });
    const fromline = await api.create('fromline', { from_line: '"Ann" <ann@example.org>' });
    equal((await api.call('PATCH', `/rest/v1/mailer/${id}/`, { fromline, custom_fromline: '' })).statusCode, 202);
    await pool.query('delete from core_fromline where id = $1', [idIn(fromline)]);
    const deps = { pool, sendPool: pool, env: readEnv({ SEND_LANES: '1' }), temporal: {}, log: console } as unknown as ActivityDeps;
    const { beginSending } = inActivity(createSendActivities(deps));
    deepEqual((await beginSending(id, null)).reasons, ['the mailing has no from line']);
    deepEqual(await mailing(id), { status: 'scheduled', started: false, runs: 0 });
  });
});
