import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { sendingWorkers } from '../../activities/sending/lanes.ts';
import { createPool } from '../../db/pool.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

/** Of the second send. */
const MAILS = 9000;

describe('the lanes of a send', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let url: string;
  let sinks: SmtpSink[];

  before(async () => {
    place = await createNamespace();
    url = await createDatabase();
    pool = createPool(url, 5);
    sinks = await Promise.all([startSmtpSink({ keep: 1 }), startSmtpSink({ keep: 1 })]);
  });
  after(async () => {
    for (const sink of sinks ?? []) await sink.close();
    await pool?.end();
  });

  it('take up again each by itself: one whose relay was away sends as soon as it is back, while the other goes on', async () => {
    const settings = { DATABASE_URL: url, SEND_SLICE_SECONDS: '1', SEND_SHARD_SIZE: '100', SMTP_CONNECTIONS: '4' };
    const env = { ...process.env, ...settings, TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace };
    const [near, away] = sinks as [SmtpSink, SmtpSink];
    const logFolder = join(dataFolder(), 'logs');
    const workers = await Promise.all(
      sinks.map(({ url: SMTP_URL }, n) => startWorkerProcess({ env: { ...env, SMTP_URL }, logFolder }, n + 1)),
    );
    while ((await sendingWorkers({ temporal: place.client, env: { TEMPORAL_NAMESPACE: place.namespace } })) < 2) await sleep(100);
    away.setLimit(0);
    const id = await queueMailing(pool, 7500, { rate: 300 });
    const start = { workflowId: workflowId.sendMailing(id), taskQueue: TASK_QUEUE.campaign, args: [{ mailingId: id }] };
    const run = await place.client.workflow.start('sendMailing', start);
    while (near.counts().received < 1500) await sleep(50);
    equal(away.counts().received, 0);
    away.setLimit(null);
    equal(await run.result(), 'completed');
    ok(away.counts().received > 100, `${away.counts().received} by the relay that was away`);
    equal(near.counts().received + away.counts().received, 7500);
    equal((await ledgerStates(pool, id))['accepted'], 7500);
    for (const worker of workers) await worker.stop();
  });

  it('rest where one is at work in a process, find their place when a worker comes, and end with the others', async () => {
    const settings = {
      DATABASE_URL: url,
      SEND_SLICE_SECONDS: '1',
      SEND_SHARD_SIZE: '100',
      SEND_LANES: '12',
      SEND_SLOTS: '16',
      SMTP_CONNECTIONS: '4',
    };
    const env = { ...process.env, ...settings, TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace };
    const logFolder = join(dataFolder(), 'logs');
    const [first, second] = sinks as [SmtpSink, SmtpSink];
    const startWorker = (n: number) => startWorkerProcess({ env: { ...env, SMTP_URL: sinks[n]!.url }, logFolder }, n + 1);
    const before = { first: first.counts().received, second: second.counts().received };
    const workers = [await startWorker(0)];
    // It lasts a minute: a worker that comes just after one of those that rest has looked is found by the next, a quarter of a minute later.
    const id = await queueMailing(pool, MAILS, { rate: 150 });
    const start = { workflowId: workflowId.sendMailing(id), taskQueue: TASK_QUEUE.campaign, args: [{ mailingId: id }] };
    const run = await place.client.workflow.start('sendMailing', start);
    while (first.counts().received - before.first < 600) await sleep(50);
    // The workers of the test before are among those that have polled lately: it is looked for them, for a while.
    const looked = performance.now();
    let attempts: (number | null | undefined)[] = [];
    // Between two slices there is none, and one that rests looks again now and then.
    do {
      attempts = (await run.describe()).raw.pendingActivities?.map(({ attempt }) => attempt) ?? [];
      if (attempts.length !== 1) await sleep(100);
    } while (attempts.length !== 1 && performance.now() - looked < 15_000);
    deepEqual(attempts, [1], 'the others rest, and none looks like a failure');
    workers.push(await startWorker(1));
    // The relays know how far it is: the ledger would be counted over and over for a minute.
    const received = () => [first.counts().received - before.first, second.counts().received - before.second] as const;
    while (received()[0] + received()[1] < MAILS) await sleep(50);
    while (((await ledgerStates(pool, id))['accepted'] ?? 0) < MAILS) await sleep(50);
    const done = performance.now();
    equal(await run.result(), 'completed');
    const seconds = (performance.now() - done) / 1000;
    ok(seconds < 8, `it ended ${seconds} s after the last mail: those that rest are called off`);
    const [byFirst, bySecond] = received();
    ok(bySecond >= 300, `${bySecond} by the worker that came`);
    equal(byFirst + bySecond, MAILS);
    for (const worker of workers) await worker.stop();
  });
});
