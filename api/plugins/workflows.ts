import {
  type Client,
  isGrpcDeadlineError,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { InputError, NotFoundError, UnavailableError, UncertainError } from '../../domain/errors.ts';
import { startOptions } from '../../workflows/contracts.ts';
import type { WorkflowGateway } from '../workflow-gateway.ts';

/** A request waits no longer than this for the workflow service. */
const PATIENCE_MS = 5_000;
/** So long a run is not asked again that no worker has answered for: whoever polls would wait each time. */
const SILENCE_MS = 3_000;
/** How many such runs are remembered. */
const SILENT_KEPT = 1_000;
/** By how much the service's clock may be behind ours. */
const MOST_SKEW_MS = 2_000;

/** Workflows on Temporal. `client` may be lazily connected: what cannot be reached is UnavailableError, when it is asked. */
export function temporalWorkflows(client: Client): WorkflowGateway {
  const soon = <Result>(work: () => Promise<Result>, withinMs = PATIENCE_MS) => client.withDeadline(Date.now() + withinMs, work);
  /** Whether a run with this id is at work, or one has begun since. */
  const wasStarted = async (workflowId: string, since: number): Promise<boolean> => {
    try {
      const { status, startTime } = await soon(() => client.workflow.getHandle(workflowId).describe());
      return status.name === 'RUNNING' || startTime.getTime() > since - MOST_SKEW_MS;
    } catch {
      return false;
    }
  };
  /** When a run whose worker was silent may be asked again. */
  const silent = new Map<string, number>();
  let isAway = false;
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
        const failure = translated(error);
        // What is not known is asked: a row must not be taken back whose run is at work.
        if (failure instanceof UncertainError && (await wasStarted(start.workflowId, askedAt))) return 'started';
        throw failure;
      }
    },
    async signalWithStart(start, message) {
      try {
        await soon(() => client.workflow.signalWithStart(start.workflow, { ...startOptions(start), signal: message }));
      } catch (error) {
        throw translated(error);
      }
    },
    async signal(workflowId, message, ...args) {
      try {
        await soon(() => client.workflow.getHandle(workflowId).signal(message, ...args));
      } catch (error) {
        throw translated(error);
      }
    },
    async query<Answer>(workflowId: string, message: string, withinMs: number) {
      if ((silent.get(workflowId) ?? 0) > performance.now()) return null;
      silent.delete(workflowId);
      const askedAt = performance.now();
      try {
        const answer = await soon(() => client.workflow.getHandle(workflowId).query<Answer>(message), withinMs);
        isAway = false;
        return answer;
      } catch (error) {
        isAway = translated(error) instanceof UnavailableError;
        // No run, no worker, no service: whoever asks has the row to answer from. Only the latter two take their time to say so.
        if (performance.now() - askedAt < withinMs / 2) return null;
        if (silent.size >= SILENT_KEPT) silent.delete(silent.keys().next().value as string);
        silent.set(workflowId, performance.now() + SILENCE_MS);
        return null;
      }
    },
    async ensureSchedule(options) {
      try {
        await soon(() => client.schedule.create(options));
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw translated(error);
        const handle = client.schedule.getHandle(options.scheduleId);
        await soon(() => handle.update(({ state }) => ({ ...options, state }))).catch((failure) => {
          throw translated(failure);
        });
      }
    },
    async removeSchedule(scheduleId) {
      try {
        await soon(() => client.schedule.getHandle(scheduleId).delete());
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw translated(error);
      }
    },
    async ready() {
      try {
        await soon(() => client.connection.workflowService.getSystemInfo({}), 2_000);
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

function translated(error: unknown): unknown {
  // Its tables of time zones are not ours, and ask for capitals.
  if (/unknown time zone/i.test(String((error as Error).message))) {
    return new InputError({ timezone: 'The workflow service knows no time zone of that name; America/New_York is one.' });
  }
  if (error instanceof WorkflowNotFoundError) return new NotFoundError(error.message);
  // The client wraps what gRPC says: away and too slow are the same to a caller.
  const cause = (error as { cause?: unknown }).cause ?? error;
  const AWAY = new Set([1, 4, 8, 14]);
  const away =
    isGrpcDeadlineError(cause) || (isGrpcServiceError(cause) && AWAY.has(cause.code)) || /connect/i.test(String((error as Error).message));
  if (!away) return error;
  // Only what never left us has certainly changed nothing.
  const unsent = NEVER_SENT.test(String((cause as { details?: unknown }).details ?? (cause as Error).message));
  if (unsent) return new UnavailableError('The workflow service cannot be reached; nothing was changed.');
  return new UncertainError('The workflow service did not answer in time; what was asked for may have been started.');
}

/** As the client's transport says that it had no connection to send anything over. */
const NEVER_SENT = /no connection established|ECONNREFUSED|ENOTFOUND|name resolution failed|waiting for LB pick|failed to connect/i;
