import { deepEqual, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/common';
import { startOptions } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { READY } from '../support/mailings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

/** `PENDING_ACTIVITY_STATE_CANCEL_REQUESTED`. */
const CANCEL_REQUESTED = 3;

describe('a run that is cancelled while a try of its work fails', () => {
  let api: TestApi;
  let place: TestNamespace;

  before(async () => {
    api = await startApi();
    place = await createNamespace();
    await runWorker(place, { DATABASE_URL: api.databaseUrl }, { relay: new ScriptedRelay(1) });
    await api.create('queryreport', { name: 'One', short_name: 'one', sql: 'select 1 as n' });
  });
  after(() => api.close());

  const waiting = async (): Promise<number[]> => {
    const { rows } = await api.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.map(({ pid }) => pid);
  };

  /** Cancels what was asked for last in the middle of a try that waits for a table, which then fails. @returns what it says */
  async function cancelledInATry(table: string, asked: string): Promise<string[]> {
    const answer = await api.call('POST', asked);
    const watched = String(answer.headers.location).slice(api.env.BASE_URL.length);
    const start = api.workflows.starts.at(-1)!;
    const lock = await api.pool.connect();
    await lock.query('begin');
    await lock.query(`lock table ${table} in access exclusive mode`);
    const run = await place.client.workflow.start(start.workflow, startOptions(start));
    while (!(await waiting()).length) await sleep(50);
    await run.cancel();
    // Or until it has heard of that itself, and waits no more.
    while ((await waiting()).length && (await run.describe()).raw.pendingActivities?.[0]?.state !== CANCEL_REQUESTED) await sleep(50);
    for (const pid of await waiting()) await api.pool.query('select pg_terminate_backend($1)', [pid]);
    // Before what is tried again could wait for it, too.
    await lock.query('rollback');
    lock.release();
    await rejects(run.result(), ({ cause }: Error) => cause instanceof CancelledFailure);
    return (await api.read(watched)).errors;
  }

  it('says so, where it is a report', async () => {
    deepEqual(await cancelledInATry('core_backgroundtask', '/rest/v1/report/background/one/'), ['The report was cancelled.']);
  });

  it('says so, where it is a build', async () => {
    const mailing = await api.create('mailer', READY);
    deepEqual(await cancelledInATry('core_mailingrebuild', `${mailing}rebuild/`), ['The rebuild was cancelled.']);
  });
});
