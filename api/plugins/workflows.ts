import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import { namespaceAnswers } from '../../config/namespace-answers.ts';
import { isPaused } from '../../config/stuck-runs.ts';
import { UnavailableError, UncertainError } from '../../domain/errors.ts';
import { leftByHand, startOptions } from '../../workflows/contracts.ts';
import type { WorkflowGateway } from '../workflow-gateway.ts';
import { refusalOf, translated } from './workflow-failures.ts';

/** A request waits no longer than this for the workflow service. */
const PATIENCE_MS = 5_000;
/** Changing a schedule asks for what it is first; one that was changed this moment may answer both times after the five seconds in which the service gives up waiting for whom it asked. */
const SCHEDULE_CHANGED_MS = 12_000;
/** So long a run is not asked again that no worker has answered for: whoever polls would wait each time. */
const SILENCE_MS = 3_000;
/** How many such runs are remembered. */
const SILENT_KEPT = 1_000;
/** By how much the service's clock may be behind ours. */
const MOST_SKEW_MS = 2_000;

/**
 * Workflows on Temporal. `client` may be lazily connected: what cannot be reached is UnavailableError, when it is asked.
 * @param log is told what the service refuses, and why: callers hear that it does
 */
export function temporalWorkflows(client: Client, log?: Pick<FastifyBaseLogger, 'error'>): WorkflowGateway {
  const failed = (error: unknown): unknown => {
    const failure = translated(error);
    const refusal = refusalOf(error);
    if (refusal !== null && failure instanceof UnavailableError) log?.error({ refusal }, 'the workflow service refuses what it is asked');
    return failure;
  };
  const soon = <Result>(work: () => Promise<Result>, withinMs = PATIENCE_MS) => client.withDeadline(Date.now() + withinMs, work);
  /** Whether a run with this id is at work, or one has begun since. */
  const wasStarted = async (workflowId: string, since: number): Promise<boolean> => {
    try {
      const { status, startTime, raw } = await soon(() => client.workflow.getHandle(workflowId).describe());
      return status.name === 'RUNNING' || isPaused(raw) || startTime.getTime() > since - MOST_SKEW_MS;
    } catch {
      return false;
    }
  };
  /** When a run whose worker was silent may be asked again. */
  const silent = new Map<string, number>();
  let isAway = false;
  /** What a run or schedule says of itself, or null. */
  const answered = async <Answer>(id: string, withinMs: number, ask: () => Promise<Answer>): Promise<Answer | null> => {
    if ((silent.get(id) ?? 0) > performance.now()) return null;
    silent.delete(id);
    const askedAt = performance.now();
    try {
      const answer = await soon(ask, withinMs);
      isAway = false;
      return answer;
    } catch (error) {
      isAway = refusalOf(error) === null && translated(error) instanceof UnavailableError;
      // No run, no worker, no service: whoever asks has the row to answer from. Only the latter two take their time to say so.
      if (performance.now() - askedAt < withinMs / 2) return null;
      if (silent.size >= SILENT_KEPT) silent.delete(silent.keys().next().value as string);
      silent.set(id, performance.now() + SILENCE_MS);
      return null;
    }
  };
  return {
    get isAway() {
      return isAway;
    },
    async start(start) {
      const askedAt = Date.now();
      try {
        await soon(() => client.workflow.start(start.workflow, startOptions(start)));
        return 'started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'running';
        const failure = failed(error);
        // What is not known is asked: a row must not be taken back whose run is at work.
        if (failure instanceof UncertainError && (await wasStarted(start.workflowId, askedAt))) return 'started';
        throw failure;
      }
    },
    async signalWithStart(start, message) {
      try {
        await soon(() => client.workflow.signalWithStart(start.workflow, { ...startOptions(start), signal: message }));
      } catch (error) {
        throw failed(error);
      }
    },
    async signal(workflowId, message, ...args) {
      try {
        await soon(() => client.workflow.getHandle(workflowId).signal(message, ...args));
      } catch (error) {
        throw failed(error);
      }
    },
    query<Answer>(workflowId: string, message: string, withinMs: number) {
      return answered(workflowId, withinMs, () => client.workflow.getHandle(workflowId).query<Answer>(message));
    },
    isSchedulePaused(scheduleId, withinMs) {
      return answered(scheduleId, withinMs, async () => (await client.schedule.getHandle(scheduleId).describe()).state.paused);
    },
    async ensureSchedule(options) {
      try {
        await soon(() => client.schedule.create(options));
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw failed(error);
        const handle = client.schedule.getHandle(options.scheduleId);
        await soon(() => handle.update(({ state }) => ({ ...options, state: leftByHand(state) })), SCHEDULE_CHANGED_MS).catch((failure) => {
          throw failed(failure);
        });
      }
    },
    async removeSchedule(scheduleId) {
      try {
        await soon(() => client.schedule.getHandle(scheduleId).delete());
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw failed(error);
      }
    },
    async ready() {
      try {
        await soon(() => namespaceAnswers(client.connection, client.options.namespace), 2_000);
      } catch (error) {
        throw failed(error);
      }
    },
  };
}
