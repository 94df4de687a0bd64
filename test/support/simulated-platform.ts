import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import type { Mail, Outcome } from '../../mail/contracts.ts';
import { type SendMailingInput, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import type { sendMailing } from '../../workflows/index.ts';
import { createDatabase } from './database.ts';
import { queueMailing, ScriptedRelay } from './sending.ts';
import { createTimeSkipping } from './temporal.ts';

/** A relay that can be told to do something after so many mails, or to note when each was accepted. */
class SimulatedRelay extends ScriptedRelay {
  reset(): void {
    this.written.length = 0;
    this.answer = () => ({ kind: 'accepted', reply: '250' });
  }

  after(mails: number, act: () => Promise<unknown>): void {
    let seen = 0;
    this.answer = async (): Promise<Outcome> => {
      if (++seen === mails) await act();
      return { kind: 'accepted', reply: '250' };
    };
  }

  recordTimes(clock: { now(): number }): number[] {
    const times: number[] = [];
    this.answer = (_mail: Mail): Outcome => {
      times.push(clock.now());
      return { kind: 'accepted', reply: '250' };
    };
    return times;
  }
}

export type SimulatedPlatform = Awaited<ReturnType<typeof simulatedPlatform>>;

/** Real workflows, activities and database under a server whose time is skipped; only the relay is scripted. */
export async function simulatedPlatform(settings: Record<string, string> = {}) {
  const env = await createTimeSkipping();
  const url = await createDatabase();
  const pool = createPool(url, 20);
  const relay = new SimulatedRelay(4);
  const clock = await simulatedClock(env);
  const silent = () => {};
  const deps: ActivityDeps = {
    // Simulated seconds pass while a heartbeat is on its way: with a usual lease a slice would be given up for silent, and time skip no more while two tries of it run.
    env: readEnv({ DATABASE_URL: url, NODE_ENV: 'test', SEND_RETRY_SECONDS: '1', SEND_LANES: '1', SEND_LEASE_SECONDS: '300', ...settings }),
    pool,
    sendPool: pool,
    temporal: env.client,
    relay,
    shuttingDown: new AbortController().signal,
    clock,
    log: { info: silent, warn: silent, error: silent },
  };
  const made = createActivities(deps);
  const activities: typeof made = {
    ...made,
    // The server's time may have been skipped since anybody looked.
    async openSend(input) {
      await clock.read();
      return made.openSend(input);
    },
    async sendSlice(input) {
      await clock.read();
      return made.sendSlice(input);
    },
  };
  const bundle = await workflowBundle();
  const workers = await Promise.all(
    Object.values(TASK_QUEUE).map((taskQueue) =>
      Worker.create({
        connection: env.nativeConnection,
        taskQueue,
        activities,
        ...(taskQueue === TASK_QUEUE.campaign ? { workflowBundle: bundle } : {}),
        // Simulated seconds pass in real milliseconds: every heartbeat counts.
        maxHeartbeatThrottleInterval: '1ms',
        defaultHeartbeatThrottleInterval: '1ms',
      }),
    ),
  );
  const runs = workers.map((worker) => worker.run());

  return {
    env,
    /** Of the instance; read anew by each activity. */
    settings: deps.env,
    pool,
    sendPool: pool,
    relay,
    clock,
    queuedMailing: (people: number, more: { rate?: number | null; scheduledFor?: Date } = {}) => queueMailing(pool, people, more),
    async requeue(id: number, { rate }: { rate?: number | null } = {}): Promise<void> {
      await pool.query(
        `update core_mailing set status = 'queued', mails_per_second = case when $2 then $3 else mails_per_second end where id = $1`,
        [id, rate !== undefined, rate ?? null],
      );
    },
    start(input: SendMailingInput): Promise<WorkflowHandleWithFirstExecutionRunId<typeof sendMailing>> {
      return env.client.workflow.start<typeof sendMailing>('sendMailing', {
        workflowId: workflowId.sendMailing(input.mailingId),
        taskQueue: TASK_QUEUE.campaign,
        args: [input],
      });
    },
    /** Simulated milliseconds a run took: the server's clock runs ahead as soon as a run has ended, so only its own record tells. */
    async duration(mailingId: number): Promise<number> {
      const { startTime, closeTime } = await env.client.workflow.getHandle(workflowId.sendMailing(mailingId)).describe();
      return (closeTime?.getTime() ?? Number.NaN) - startTime.getTime();
    },
    async latest(mailingId: number): Promise<{ workflowId: string; runId: string }> {
      const description = await env.client.workflow.getHandle(workflowId.sendMailing(mailingId)).describe();
      return { workflowId: description.workflowId, runId: description.runId };
    },
    /**
     * Has a run call its slice off, to be asked while a mail of that is on its way. Waits until it has: with a run that calls an activity off in the moment in which it completes that server
     * never goes on.
     */
    async calledOff(mailingId: number, tell: () => Promise<unknown>): Promise<void> {
      await tell();
      const run = env.client.workflow.getHandle(workflowId.sendMailing(mailingId));
      while (!(await run.fetchHistory()).events!.some((event) => event.activityTaskCancelRequestedEventAttributes)) await sleep(20);
    },
    async close(): Promise<void> {
      for (const worker of workers) worker.shutdown();
      await Promise.all(runs);
      await pool.end();
    },
  };
}

/** The server's time as a clock whose reading costs nothing: read once, moved on by every sleep. */
async function simulatedClock(env: TestWorkflowEnvironment) {
  let offset = (await env.currentTimeMs()) - performance.now();
  const read = async () => {
    offset = (await env.currentTimeMs()) - performance.now();
  };
  return {
    now: () => performance.now() + offset,
    async sleep(ms: number): Promise<void> {
      await env.sleep(ms);
      await read();
    },
    /** To be called when the server's time has moved without us: before each test. */
    read,
  };
}
