import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type BegunSend, createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { inActivity } from '../support/in-activity.ts';
import { queueMailing } from '../support/sending.ts';

// Beginning reads the whole ledger, which takes its time with millions; here it waits for a table that is locked.
describe('beginning a large mailing', function () {
  this.timeout(240_000);
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
});
