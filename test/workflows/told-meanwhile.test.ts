import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { NOTHING_SENT } from '../../domain/slice-result.ts';
import { MESSAGE, type SendProgress, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createNamespace } from '../support/temporal.ts';

const opened = { stage: 'waiting', scheduledFor: null, rebuild: false, stopRequested: false, lateAfterMinutes: 60, queuedAt: null };
const begun = { pending: 5, rate: null, lanes: 1, sliceSeconds: 12, silenceSeconds: 5, giveUpHours: 72, reasons: [] };
/** What comes of nothing else. */
const later = (said: string) => sleep(300_000, said, { ref: false });
const ended = async ({ queuedAt }: { queuedAt: string | null }) => ({ accepted: 0, queuedAt });

// The activities are stand-ins: what they answer cannot be made to come at just that moment.
describe('a send that is told something at an odd moment', () => {
  async function withRun(activities: Record<string, unknown>, act: (run: WorkflowHandle) => Promise<void>): Promise<void> {
    const { namespace, client, nativeConnection } = await createNamespace();
    const shared = { connection: nativeConnection, namespace, activities: { finishSend: ended, ...activities } };
    const workers = await Promise.all([
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.campaign, workflowBundle: await workflowBundle() }),
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.sending }),
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.sql }),
    ]);
    const runs = workers.map((worker) => worker.run());
    const args: [{ mailingId: number }] = [{ mailingId: 1 }];
    const run = await client.workflow.start('sendMailing', { workflowId: workflowId.sendMailing(1), taskQueue: TASK_QUEUE.campaign, args });
    try {
      await act(run);
    } finally {
      await run.terminate().catch(() => undefined);
      for (const worker of workers) worker.shutdown();
      await Promise.all(runs);
    }
  }

  it('says that it is stopping where it was stopped, and not where it came to its end', async () => {
    for (const [stopRequested, phase] of [
      [false, 'sending'],
      [true, 'stopping'],
    ] as const) {
      const ending = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const activities = {
        openSend: async () => ({ ...opened, stage: 'sending', stopRequested }),
        beginSending: async () => begun,
        sendSlice: async () => ({ ...NOTHING_SENT, next: 'finished' }),
        async finishSend() {
          ending.resolve();
          await asked.promise;
          return { accepted: 5 };
        },
      };
      await withRun(activities, async (run) => {
        await ending.promise;
        deepEqual((await run.query<SendProgress>(MESSAGE.progress)).phase, phase);
        asked.resolve();
        await run.result();
      });
    }
  });

  it('says in its details that it begins, which takes its time with millions, and in the end that there is nothing to send', async () => {
    const beginning = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    let reads = 0;
    const activities = {
      openSend: async () => (++reads > 1 ? { ...opened, stage: 'none' } : { ...opened, rebuild: true }),
      markRebuilding: async () => true,
      buildTargetsAtSend: async () => ({ count: 5 }),
      async beginSending() {
        beginning.resolve();
        await asked.promise;
        return { ...begun, queuedAgain: true };
      },
    };
    const detailsOf = async (run: WorkflowHandle) =>
      (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
    await withRun(activities, async (run) => {
      await beginning.promise;
      match(await detailsOf(run), /^Beginning/);
      asked.resolve();
      equal(await run.result(), 'draft');
      match(await detailsOf(run), /^Nothing to send/);
      equal((await run.query<SendProgress>(MESSAGE.progress)).phase, 'finished');
    });
  });

  it('follows a new time that was told while the old one was being read', async () => {
    const reading = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    let reads = 0;
    const openSend = async () => {
      if (++reads > 1) return { ...opened, stage: 'none' };
      reading.resolve();
      await told.promise;
      return { ...opened, scheduledFor: new Date(Date.now() + 3_600_000).toISOString() };
    };
    await withRun({ openSend }, async (run) => {
      await reading.promise;
      await run.signal(MESSAGE.reschedule);
      told.resolve();
      deepEqual(await Promise.race([run.result(), later('still waiting for the old time')]), 'draft');
    });
  });

  it('is not stopped by a word that was meant for an earlier queueing and came late', async () => {
    const queuedAt = '2026-11-25 12:00:00.25+00';
    const openSend = async () => ({ ...opened, queuedAt, scheduledFor: new Date(Date.now() + 3_600_000).toISOString() });
    await withRun({ openSend }, async (run) => {
      await run.signal(MESSAGE.stop, '2026-11-25 11:59:59.5+00');
      deepEqual(await Promise.race([run.result(), sleep(3000, 'waiting')]), 'waiting');
      await run.signal(MESSAGE.stop, '2026-11-25 11:59:59.5+00');
      deepEqual(await Promise.race([run.result(), sleep(1000, 'waiting')]), 'waiting');
      await run.signal(MESSAGE.stop, queuedAt);
      deepEqual(await Promise.race([run.result(), later('not stopped')]), 'stopped');
    });
  });

  it('waits for a new time that was given while the old one was being missed', async () => {
    let reads = 0;
    const past = { ...opened, scheduledFor: '2020-01-01T00:00:00Z' };
    const openSend = async () => (++reads === 1 ? past : { ...opened, scheduledFor: new Date(Date.now() + 3_600_000).toISOString() });
    await withRun({ openSend, returnToDraft: async () => {} }, async (run) => {
      while (reads < 2) await sleep(20);
      deepEqual(await Promise.race([run.result(), sleep(3000, 'waiting')]), 'waiting');
      deepEqual(reads, 2);
    });
  });

  it('does not take a relay for one that is away which answers in between, though it takes no mail', async () => {
    let slices = 0;
    const sendSlice = async () => {
      if (++slices === 6) return { ...NOTHING_SENT, answered: false, next: 'finished' };
      if (slices % 2 === 0) return { ...NOTHING_SENT, answered: true, next: 'wait', waitMs: 10 };
      return { ...NOTHING_SENT, answered: false, next: 'relay-down', reason: 'connect ECONNREFUSED' };
    };
    const openSend = async () => ({ ...opened, stage: 'sending' });
    const beginSending = async () => ({ ...begun, giveUpHours: 2 / 3600 });
    await withRun({ openSend, beginSending, sendSlice }, async (run) => {
      deepEqual(await Promise.race([run.result(), later('goes on')]), 'completed');
    });
  });

  it('asks less and less often while its only lane is told that others are at work, as where somebody has started another run of its mailing', async () => {
    let slices = 0;
    const sendSlice = async () => {
      slices++;
      return { ...NOTHING_SENT, next: 'elsewhere' };
    };
    await withRun({ openSend: async () => ({ ...opened, stage: 'sending' }), beginSending: async () => begun, sendSlice }, async (run) => {
      while (slices === 0) await sleep(20);
      await sleep(8000);
      ok(slices <= 5, `${slices} slices in 8 s`);
      while (slices < 2) await sleep(20);
      await run.signal(MESSAGE.stop);
      deepEqual(await Promise.race([run.result(), later('not stopped')]), 'stopped');
    });
  });
});
