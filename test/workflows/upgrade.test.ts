import { deepEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing, ScriptedRelay, shardCounters } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a send that began under an earlier release', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let settings: Record<string, string>;
  let sink: SmtpSink;
  let earlier: WorkflowBundleOption;
  const relay = new ScriptedRelay(8);

  before(async () => {
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    settings = { DATABASE_URL: url, SEND_SLICE_SECONDS: '1', SEND_SHARD_SIZE: '500', SEND_SLOTS: '1' };
    sink = await startSmtpSink();
    const workflowsPath = join(import.meta.dirname, 'earlier/send-mailing.ts');
    earlier = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  });
  after(async () => {
    await pool.end();
    await sink.close();
  });

  const start = (id: number) =>
    place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId: id }],
    });
  const accepted = async (id: number) => (await shardCounters(pool, id))['accepted'] ?? 0;
  const until = async (what: () => Promise<boolean>) => {
    while (!(await what())) await sleep(20);
  };

  it('ends under this one, with nobody forgotten, mailed twice or uncertain', async () => {
    // The first of the two has far from sent all when it is stopped, also where it is seen late how far it is.
    const id = await queueMailing(pool, 4500, { rate: 300 });
    const old = await runWorker(place, settings, { relay, workflowBundle: earlier });
    const run = await start(id);
    await until(async () => (await accepted(id)) > 500);
    await old.stop();
    deepEqual(Object.keys(await ledgerStates(pool, id)).sort(), ['accepted', 'pending']);
    const present = await runWorker(place, settings, { relay });
    equal(await run.result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 4500 });
    equal(new Set(relay.written).size, relay.written.length);
    await present.stop();
  });

  it('goes on while workers of both releases run side by side', async () => {
    relay.written.length = 0;
    const id = await queueMailing(pool, 1500, { rate: 300 });
    const old = await runWorker(place, settings, { relay, workflowBundle: earlier });
    // One in a process of its own: no two of a kind go into one.
    const env = { ...process.env, ...settings, TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace, SMTP_URL: sink.url };
    const present = await startWorkerProcess({ env, logFolder: join(dataFolder(), 'logs') }, 1);
    equal(await (await start(id)).result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 1500 });
    equal(relay.written.length + sink.counts().received, 1500);
    await old.stop();
    await present.stop();
  });
});
