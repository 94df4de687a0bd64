import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { prepareNamespace } from '../../activities/namespace.ts';
import { startWorker } from '../../activities/worker.ts';
import { readEnv } from '../../config/env.ts';
import { freePort } from '../../embedded/ports.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startBalancer } from '../../tools/cluster/balancer.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a worker', () => {
  it('runs workflows and activities until it is told to end', async () => {
    const place = await createNamespace();
    const sink = await startSmtpSink();
    const worker = await runWorker(place, { DATABASE_URL: await createDatabase(), SMTP_URL: sink.url });
    const sweep = { workflowId: 'sweep-now', taskQueue: TASK_QUEUE.campaign, workflowExecutionTimeout: '200 seconds' } as const;
    assert.equal(await place.client.workflow.execute('sweep', sweep), 0);
    await worker.stop();
    await worker.ended;
    await sink.close();
  });

  it('says whether it lives, and whether it can work, until it is told to end', async () => {
    const place = await createNamespace();
    const settings = { DATABASE_URL: await createDatabase(), SMTP_URL: 'smtp://127.0.0.1:1', WORKER_HEALTH: '127.0.0.1:0' };
    const worker = await runWorker(place, settings);
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${worker.health!.port}${path}`);
      return { code: answer.status, text: await answer.text() };
    };
    assert.deepEqual(await ask('/health/live'), { code: 200, text: '{"status":"ok"}' });
    assert.deepEqual(await ask('/health/ready'), { code: 200, text: '{"status":"ok","database":"ok","workflows":"ok"}' });
    assert.equal((await ask('/metrics')).code, 404);
    const stopped = worker.stop();
    // One that has nothing to finish may have ended by then.
    const ending = await ask('/health/ready').catch(() => null);
    if (ending) assert.deepEqual(ending, { code: 503, text: '{"status":"ending"}' });
    await stopped;
    await assert.rejects(ask('/health/live'));
    await assert.rejects(runWorker(place, { ...settings, WORKER_HEALTH: '192.0.2.1:9999' }), /WORKER_HEALTH: /);
  });

  it('is not ready while Temporal has no namespace for it, and waits for one', async () => {
    const { address, client } = await createNamespace();
    const health = await freePort();
    const services = { DATABASE_URL: await createDatabase(), SMTP_URL: 'smtp://127.0.0.1:1', WORKER_HEALTH: `127.0.0.1:${health}` };
    const env = readEnv({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'made-later', ...services });
    const starting = startWorker(env, { info() {}, warn() {}, error() {} });
    const ready = () =>
      fetch(`http://127.0.0.1:${health}/health/ready`).then(
        async (answer) => ({ code: answer.status, ...((await answer.json()) as object) }),
        () => null,
      );
    let first = await ready();
    while (!first) first = await ready();
    assert.deepEqual(first, { code: 503, status: 'unavailable', database: 'ok', workflows: 'away' });
    await prepareNamespace(client.connection as Connection, 'made-later');
    const worker = await starting;
    assert.equal((await ready())?.code, 200);
    await worker.stop();
  });

  it('begins anew where Temporal goes away while it starts', async () => {
    const place = await createNamespace();
    const addresses = [place.address];
    const door = await startBalancer(() => addresses);
    atEnd(() => door.close());
    const sink = await startSmtpSink();
    const services = { DATABASE_URL: await createDatabase(), SMTP_URL: sink.url };
    const env = readEnv({ TEMPORAL_ADDRESS: door.address, TEMPORAL_NAMESPACE: place.namespace, SHUTDOWN_GRACE_SECONDS: '5', ...services });
    const said: string[] = [];
    const log = { info() {}, error() {}, warn: (_: object, text: string) => void said.push(text) };
    let cut = false;
    const parts = {
      // Asked for once it is connected, before it has workers.
      get workflowBundle() {
        if (!cut) {
          addresses.pop();
          door.turnOut();
        }
        cut = true;
        return undefined;
      },
    };
    const starting = startWorker(env, log, parts);
    for (; !said.some((text) => text.includes('begins anew')); await sleep(100));
    addresses.push(place.address);
    const worker = await starting;
    const sweep = { workflowId: 'sweep-now', taskQueue: TASK_QUEUE.campaign, workflowExecutionTimeout: '200 seconds' } as const;
    assert.equal(await place.client.workflow.execute('sweep', sweep), 0);
    assert.match(said[0]!, /^TEMPORAL_ADDRESS: no Temporal server answers at 127/);
    await worker.stop();
    await worker.ended;
    await sink.close();
  });

  it('does not start without what it needs, and says what that is', async () => {
    const place = await createNamespace();
    await assert.rejects(runWorker(place, { DATABASE_URL: await createDatabase() }), /missing: SMTP_URL/);
    await assert.rejects(runWorker(place, {}), /missing: DATABASE_URL/);
  });
});
