import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a round that clears what is old, of which there is much', () => {
  let api: TestApi;
  let place: TestNamespace;
  let worker: Awaited<ReturnType<typeof runWorker>>;

  before(async () => {
    place = await createNamespace();
    api = await startApi();
    // As slow as with much else to do.
    await api.pool.query(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end';
      create trigger slow after delete on core_auditlog execute function slow();
      insert into core_auditlog (account_id, status, created_at) select 1, 201, now() - interval '2 days' from generate_series(1, 200000)`);
    const settings = { DATABASE_URL: api.databaseUrl, DATA_DIR: dataFolder(), AUDIT_LOG_DAYS: '1' };
    worker = await runWorker(place, settings, { relay: new ScriptedRelay(1) });
  });
  after(async () => {
    await worker?.stop();
    await api?.close();
  });

  const left = async (): Promise<number> => (await api.pool.query('select count(*)::int as n from core_auditlog')).rows[0].n;
  const begun = async () => {
    const before = await left();
    const run = await place.client.workflow.start('clearOld', { workflowId: 'clear-old', taskQueue: TASK_QUEUE.campaign });
    while ((await left()) === before) await sleep(50);
    return run;
  };

  it('ends with the batch it is at when it is cancelled', async () => {
    const run = await begun();
    await run.cancel();
    await run.result().catch(() => {});
    // It hears of it while it is at a batch.
    let then = Infinity;
    for (let now = await left(); now < then; now = await left()) {
      then = now;
      await sleep(4000);
    }
    ok(then > 0);
  });

  it('ends with it when its worker is asked to end', async () => {
    await begun();
    await worker.stop();
    ok((await left()) > 0);
  });
});
