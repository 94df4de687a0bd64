import { deepEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { longestStopSeconds, POLLS } from '../../workflows/silence.ts';
import { createNamespace } from '../support/temporal.ts';

const opened = (stage: string) => ({
  stage,
  scheduledFor: null,
  rebuild: false,
  stopRequested: false,
  lateAfterMinutes: 60,
  queuedAt: null,
});
const begun = { pending: 5, rate: null, lanes: 1, sliceSeconds: 12, silenceSeconds: 5, giveUpHours: 72, reasons: [] };

const STILL = 'still trying after 100 s';

// The activities are stand-ins: what fails in them cannot be made to fail at the moment of a stop.
describe('stopping a mailing that is in trouble', () => {
  /** Runs `sendMailing` on these activities, ends it in some way, and tells how it ended and what was recorded. */
  async function ended(
    activities: Record<string, unknown>,
    end: (run: WorkflowHandle) => Promise<unknown>,
    over = () => {},
  ): Promise<unknown[]> {
    const { namespace, client, nativeConnection } = await createNamespace();
    let recorded: string | null = null;
    const all = {
      async finishSend({ outcome }: { outcome: string }) {
        recorded = outcome;
        return { accepted: 0 };
      },
      ...activities,
    };
    const shared = { connection: nativeConnection, namespace, activities: all, defaultHeartbeatThrottleInterval: '200ms' } as const;
    const workers = await Promise.all([
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.campaign, workflowBundle: await workflowBundle() }),
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.sending }),
      Worker.create({ ...shared, taskQueue: TASK_QUEUE.sql }),
    ]);
    const runs = workers.map((worker) => worker.run());
    const args: [{ mailingId: number }] = [{ mailingId: 1 }];
    const run = await client.workflow.start('sendMailing', { workflowId: workflowId.sendMailing(1), taskQueue: TASK_QUEUE.campaign, args });
    await end(run);
    const outcome = await Promise.race([run.result().catch((error: Error) => error.message), sleep(100_000, STILL, { ref: false })]);
    if (outcome === STILL) await run.terminate();
    over();
    for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
    return [outcome, recorded];
  }

  /** Activities whose slice fails when it is called off: its database has gone. */
  function failingSlice() {
    const running = Promise.withResolvers<void>();
    const activities = {
      openSend: async () => opened('sending'),
      beginSending: async () => begun,
      async sendSlice() {
        const context = Context.current();
        running.resolve();
        const beat = setInterval(() => context.heartbeat(), 200);
        await new Promise((resolve) => context.cancellationSignal.addEventListener('abort', resolve));
        clearInterval(beat);
        throw new Error('Connection terminated unexpectedly');
      },
    };
    return { running: running.promise, activities };
  }

  it('ends in order though the slice fails that is called off', async () => {
    const { running, activities } = failingSlice();
    deepEqual(await ended(activities, async (run) => running.then(() => run.signal(MESSAGE.stop))), ['stopped', 'stopped']);
  });

  it('ends though its end is given again and again to a worker that has fallen silent', async () => {
    const { running, activities } = failingSlice();
    let outcomes: string[] = [];
    const over = Promise.withResolvers<void>();
    const finishSend = async ({ outcome }: { outcome: string }) => {
      if (Context.current().info.attempt > POLLS.shortActivities) outcomes = [...outcomes, outcome];
      // No heartbeat, no answer: as of a process that stands still.
      else await over.promise;
      return { accepted: 0 };
    };
    let since = 0;
    const stop = async (run: WorkflowHandle) => {
      await running;
      await run.signal(MESSAGE.stop);
      since = performance.now();
    };
    const outcome = await ended({ ...activities, finishSend }, stop, over.resolve);
    deepEqual([outcome[0], outcomes], ['stopped', ['stopped']]);
    ok((performance.now() - since) / 1000 < longestStopSeconds(begun.silenceSeconds * 2));
  });

  it('does so when the run is cancelled, too', async () => {
    const { running, activities } = failingSlice();
    deepEqual(await ended(activities, async (run) => running.then(() => run.cancel())), ['stopped', 'stopped']);
  });

  for (const [how, end] of [
    ['stopped', (run: WorkflowHandle): Promise<unknown> => run.signal(MESSAGE.stop)],
    ['cancelled', (run: WorkflowHandle): Promise<unknown> => run.cancel()],
  ] as const)
    it(`ends as one that was ${how}, and not died, though the build of its users fails that is called off`, async () => {
      const building = Promise.withResolvers<void>();
      const activities = {
        openSend: async () => ({ ...opened('waiting'), rebuild: true }),
        markRebuilding: async () => true,
        async buildTargetsAtSend() {
          const { heartbeat, cancellationSignal } = Context.current();
          building.resolve();
          const beat = setInterval(heartbeat, 200);
          await new Promise((resolve) => cancellationSignal.addEventListener('abort', resolve));
          clearInterval(beat);
          throw new Error('Connection terminated unexpectedly');
        },
      };
      deepEqual(await ended(activities, (run) => building.promise.then((): Promise<unknown> => end(run))), ['stopped', 'stopped']);
    });

  const refused = { accepted: 0, failed: 5, skipped: 0, uncertain: 0, next: 'refused', waitMs: 0, reason: 'it refused us: 530' };
  const cannotBegin = async () => {
    throw ApplicationFailure.nonRetryable('the template cannot be read', 'TemplateError');
  };
  for (const [end, trouble] of [
    ['the end it had come to', { sendSlice: async () => refused }],
    ['why it cannot go on', { beginSending: cannotBegin }],
  ] as const)
    it(`keeps ${end} when the run is cancelled while that is recorded`, async () => {
      const recording = Promise.withResolvers<void>();
      const recorded: unknown[] = [];
      const activities = {
        openSend: async () => opened('sending'),
        beginSending: async () => begun,
        ...trouble,
        async finishSend({ outcome, reasons }: { outcome: string; reasons: string[] }) {
          recorded.push([outcome, reasons.length]);
          recording.resolve();
          // The first one waits for a lease, and hears of the cancel if it is told.
          if (recorded.length === 1) {
            const { heartbeat, cancellationSignal } = Context.current();
            const beat = setInterval(heartbeat, 200);
            await Promise.race([new Promise((resolve) => cancellationSignal.addEventListener('abort', resolve)), sleep(3000)]);
            clearInterval(beat);
            throw new Error('called off, or the database is away');
          }
          return { accepted: 0 };
        },
      };
      const [outcome] = await ended(activities, (run) => recording.promise.then(() => run.cancel()));
      deepEqual(
        [outcome, recorded],
        [
          'died',
          [
            ['died', 1],
            ['died', 1],
          ],
        ],
      );
    });

  it('ends though it cannot begin', async () => {
    const activities = {
      openSend: async () => opened('waiting'),
      async beginSending() {
        throw new Error('password authentication failed');
      },
    };
    deepEqual(await ended(activities, (run) => sleep(1500).then(() => run.signal(MESSAGE.stop))), ['stopped', 'stopped']);
  });
});
