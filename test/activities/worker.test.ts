import assert from 'node:assert/strict';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a worker', () => {
  it('runs workflows and activities until it is told to end', async () => {
    const place = await createNamespace();
    const sink = await startSmtpSink();
    const worker = await runWorker(place, { DATABASE_URL: await createDatabase(), SMTP_URL: sink.url });
    const sweep = { workflowId: 'sweep-now', taskQueue: TASK_QUEUE.campaign, workflowExecutionTimeout: '20 seconds' } as const;
    assert.equal(await place.client.workflow.execute('sweep', sweep), 0);
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
