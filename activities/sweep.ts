import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isPaused, isStuck, waitsForBuild } from '../config/stuck-runs.ts';
import {
  failMailingJob,
  GRACE,
  JOB_WORKFLOWS,
  leftBehind,
  mailingsUnderWay,
  unfinishedMailingJobs,
  type WaitingMailing,
  waitingJobs,
} from '../core/forgotten.ts';
import { endStoppedRecurrences } from '../core/mailings/stop-mailing.ts';
import { markDied } from '../core/mailings/transitions.ts';
import { LostCommitsError } from '../core/sending/lost-commits.ts';
import { settleAbandoned } from '../core/sending/shards.ts';
import { endLeftBuilds } from '../core/targeting/rebuild-job.ts';
import { webhooksDue } from '../core/webhooks/deliveries.ts';
import { sqlOn } from '../db/sql.ts';
import { type InputOf, MEMO, MESSAGE, type RunName, startOf, workflowId } from '../workflows/contracts.ts';
import { startForgottenSyncs } from './crm/sweep.ts';
import type { ActivityDeps } from './deps.ts';
import { allAtOnce, eachAsking, eachInTurn, inAnyOrder } from './each-in-turn.ts';
import { startNotices } from './notices/start-notices.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { ensureRecurring } from './recurring.ts';
import { askWhetherItWaits } from './sending/waits-still.ts';
import { startRun } from './start-run.ts';

export type SweepActivities = ReturnType<typeof createSweepActivities>;

/** The sweep itself may last a minute. */
const LONGEST_WAIT_MS = 20_000;
const LISTED_WITHIN_MS = 10_000;

export function createSweepActivities(deps: ActivityDeps) {
  const { pool, temporal, log } = deps;

  return {
    /**
     * Starts the run of every mailing, build, proof request, job and CRM sync that waits for one. Sweeps that somebody started by the hundred in Temporal (a backfill of the schedule) ask
     * for the same runs. @returns how many were started
     */
    startForgotten: oneAtATime(look, LONGEST_WAIT_MS),
  };

  async function look(): Promise<number> {
    // Side by side: where Temporal answers for nothing, one after the other would take longer than the minute, and what needs no answer of it would come last.
    const tracks = [
      [startMailings, () => endLeftBuilds(pool).then(() => 0), () => settleLeftBehind().then(() => 0)],
      [startMailingJobs],
      [() => endStoppedRecurrences(pool, GRACE).then(() => 0), () => ensureRecurring(deps)],
      [startOtherJobs],
      [startDeliveries],
      [() => startForgottenSyncs(deps, GRACE)],
    ];
    return allAtOnce(tracks, (steps) => eachInTurn(steps, (step) => step(), Number.POSITIVE_INFINITY));
  }

  async function startMailings(): Promise<number> {
    const mailings = await mailingsUnderWay(pool);
    const waits = askWhetherItWaits(temporal);
    const atWork = ({ status }: WaitingMailing) => status === 'sending' || status === 'rebuilding_at_send';
    // Thousands may wait for their time: one list spares a question for each of those that have their run. The list may be
    // seconds behind, so those at work, who are few, are asked for one by one.
    const running = mailings.every(atWork) ? new Set() : await idsOfRunning('sendMailing');
    return eachAsking(temporal, inAnyOrder(mailings), async (mailing) => {
      const { id, status } = mailing;
      if (!atWork(mailing) && !mailing.overdue && !mailing.stopRequested && running.has(workflowId.sendMailing(id))) return 0;
      const { ended, runId, queueing, closedAt, stuck, rests } = await endOf(workflowId.sendMailing(id));
      if (ended === 'running') {
        if (mailing.stopRequested) await (stuck ? endStuck(mailing, runId) : tellStop(mailing));
        // Nobody told it of another time; or it was reset to where it waited, and does again, for the time there was then, though the mailing has begun since. One whose first
        // step waits for a worker says that it waits, too.
        else if (!stuck && (status === 'scheduled' ? mailing.overdue : rests && queueing === null && (await waits(id)))) await tellTime(id);
        return 0;
      }
      // Temporal has lost the run of this queueing: its data was restored from a backup, say.
      if (isOfBefore({ ended, queueing, closedAt }, mailing.queuedAt))
        return start('sendMailing', { mailingId: id }, `Mailing ${id}: send`);
      // A run that has come to its end has written it, and so has one that has begun to send: the row knows nothing of it.
      const lost = atWork(mailing)
        ? ended === 'completed' && !isEarlier(queueing, mailing.queuedAt)
        : queueing !== null && queueing === mailing.queuedAt;
      if (lost) await recordDeath(mailing, ended, new LostCommitsError().message);
      else if (status === 'sending' && !mailing.stopRequested && ended === 'completed' && (await hasSentAll(id)))
        return start('sendMailing', { mailingId: id }, `Mailing ${id}: send`);
      else if (ended !== 'absent' && atWork(mailing))
        await recordDeath(mailing, ended, `its run was ${ended === 'completed' ? 'ended' : ended} from outside`);
      else return start('sendMailing', { mailingId: id }, `Mailing ${id}: send`);
      return 0;
    });
  }

  async function startMailingJobs(): Promise<number> {
    return eachAsking(temporal, inAnyOrder(await unfinishedMailingJobs(pool)), async (job) => {
      const { kind, id: jobId, mailingId } = job;
      const name = kind === 'rebuild' ? 'rebuildTargets' : 'sendProofs';
      const { ended } = await endOf(workflowId[name](mailingId, jobId));
      if (ended === 'absent') return start(name, { mailingId, jobId }, `Mailing ${mailingId}: ${kind}`);
      if (ended !== 'running') await failMailingJob(pool, job, ended);
      return 0;
    });
  }

  /** Whatever became of an earlier run, a row that still waits gets one. */
  async function startOtherJobs(): Promise<number> {
    return allAtOnce(JOB_WORKFLOWS, async (name) =>
      eachAsking(temporal, inAnyOrder(await waitingJobs(pool, name)), (jobId) => start(name, { jobId }, startOf(name, { jobId }).summary!)),
    );
  }

  /** Nobody asked for these: they are due, new ones and those that were put off. */
  async function startDeliveries(): Promise<number> {
    return eachAsking(temporal, inAnyOrder(await webhooksDue(pool)), async (jobId) =>
      Number(await startRun(temporal, 'deliverWebhook', { jobId })),
    );
  }

  async function start<Name extends RunName>(name: Name, input: InputOf<Name>, what: string): Promise<number> {
    if (!(await startRun(temporal, name, input, { summary: `${what}, started by the sweeper` }))) return 0;
    log.warn({ workflowId: startOf(name, input).workflowId }, 'started a run for what was asked for and had none');
    return 1;
  }

  /** As far as Temporal lists them: that is kept apart from the runs themselves, and may be away while all else is there. */
  async function idsOfRunning(name: RunName): Promise<Set<string>> {
    const ids = new Set<string>();
    const query = `WorkflowType = '${name}' and ExecutionStatus = 'Running'`;
    try {
      await temporal.withDeadline(Date.now() + LISTED_WITHIN_MS, async () => {
        for await (const { workflowId } of temporal.workflow.list({ query, pageSize: 1000 })) ids.add(workflowId);
      });
    } catch (error) {
      log.warn({ error: (error as Error).message }, 'Temporal lists no runs: each mailing that waits is asked after by itself');
    }
    return ids;
  }

  /** A run of an earlier queueing, reset, sends on as well as the one that it ended, to everybody; what it says of its end holds for its own queueing alone. */
  async function hasSentAll(id: number): Promise<boolean> {
    return (await temporal.workflow.getHandle(workflowId.sendMailing(id)).result()) === 'completed';
  }

  /** Whoever gave it an earlier time may have been killed before its run was told. */
  async function tellTime(id: number): Promise<void> {
    await temporal.workflow.getHandle(workflowId.sendMailing(id)).signal(MESSAGE.reschedule);
    log.warn({ mailingId: id }, 'told the run of a mailing that its time has come');
  }

  /** The workflow service was away when it was asked to stop, or whoever asked was killed: one that waits for its time would read it then, and not before. */
  async function tellStop({ id, queuedAt }: WaitingMailing): Promise<void> {
    await unlessEnded(() =>
      temporal.workflow.getHandle(workflowId.sendMailing(id)).signal(MESSAGE.stop, ...(queuedAt === null ? [] : [queuedAt])),
    );
  }

  /** A run that cannot take a step hears of no stop: nobody but us can end it. That one alone: its mailing may have been queued again since, and another run be at work. */
  async function endStuck(mailing: WaitingMailing, runId: string | undefined): Promise<void> {
    const run = temporal.workflow.getHandle(workflowId.sendMailing(mailing.id), runId);
    if (await unlessEnded(() => run.terminate('it was asked to stop, and cannot take a step')))
      await recordDeath(mailing, 'terminated', 'its run was terminated, since it could not take a step');
  }

  /**
   * How the last run under this id ended: its closing status in lower case, `running`, or `absent`; when, by Temporal's clock; in which queueing of its mailing it has
   * begun to send, or ended; whether it cannot take a step (one that was paused is running, and cannot; nor can one that was pinned to a build without workers); and whether it has nothing to do but wait.
   */
  async function endOf(id: string): Promise<EndedRun & { runId?: string; stuck: boolean; rests: boolean }> {
    try {
      const { status, runId, memo, closeTime, raw } = await temporal.workflow.getHandle(id).describe();
      const paused = isPaused(raw);
      const ended = paused ? 'running' : status.name.toLowerCase();
      const rests = !raw.pendingWorkflowTask && !raw.pendingActivities?.length;
      return {
        ended,
        runId,
        queueing: memo?.[MEMO.queueing] ?? null,
        closedAt: closeTime?.getTime() ?? null,
        stuck: paused || isStuck(raw) || waitsForBuild(raw) !== null,
        rests,
      };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { ended: 'absent', queueing: null, closedAt: null, stuck: false, rests: false };
      throw error;
    }
  }

  async function recordDeath({ id, status, queuedAt }: WaitingMailing, ended: string, reason: string): Promise<void> {
    startNotices(deps, await markDied(sqlOn(pool), id, { status, queuedAt, reason, unchangedFor: GRACE }));
    log.error({ mailingId: id, ended }, 'a mailing was left without a run');
  }

  /**
   * Settles what killed workers left behind in mailings that are not being sent, so that the uncertain are listed. Who was on the wire can only be told when the worker's
   * lease is over: that is waited for, and what lasts longer is left to the next sweep.
   */
  async function settleLeftBehind(): Promise<void> {
    const until = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      let waitMs = 0;
      for (const id of await leftBehind(pool)) waitMs = Math.max(waitMs, await settleAbandoned(pool, id));
      if (waitMs === 0 || performance.now() + waitMs > until) return;
      await sleep(waitMs + 50);
    }
  }
}

/** A run that has just ended hears nothing, and need not. @returns whether it has heard it */
async function unlessEnded(tell: () => Promise<unknown>): Promise<boolean> {
  try {
    await tell();
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return false;
  }
}

interface EndedRun {
  ended: string;
  queueing: unknown;
  closedAt: number | null;
}

/**
 * Whether a run was over before the mailing was queued as it is now, and so knows nothing of that. Clocks may differ: the run has to say, too, that it is of an earlier
 * queueing, or to have come to its end without having sent or ended anything.
 */
const isOfBefore = ({ ended, queueing, closedAt }: EndedRun, queuedAt: string | null): boolean =>
  closedAt !== null &&
  queuedAt !== null &&
  closedAt < Date.parse(queuedAt) &&
  (isEarlier(queueing, queuedAt) || (ended === 'completed' && queueing === null));

/** A run of an earlier queueing that was reset has ended the one that was at work, and then itself: it says nothing of what became of this queueing. */
const isEarlier = (queueing: unknown, queuedAt: string | null): boolean =>
  typeof queueing === 'string' && queuedAt !== null && Date.parse(queueing) < Date.parse(queuedAt);
