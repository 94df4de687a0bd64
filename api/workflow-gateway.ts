import type { RecurringScheduleOptions, WorkflowStart } from '../workflows/contracts.ts';

/**
 * The workflow service as the API sees it. Every method throws UnavailableError when the service cannot be reached, so that a route
 * needs no more than to call it.
 */
export interface WorkflowGateway {
  /** Returns once the start is durable, whether or not a worker is up. `running`: a run with this id was under way already. */
  start(start: WorkflowStart): Promise<'started' | 'running'>;
  /** Signals the run with this id, and starts it first when none is under way: one step, so that the message cannot fall between two runs. */
  signalWithStart(start: WorkflowStart, message: string): Promise<void>;
  /** @throws NotFoundError when nothing with this id is running */
  signal(workflowId: string, message: string, ...args: unknown[]): Promise<void>;
  /** The workflow's answer, or null when there is no such run or no worker answers within `withinMs`; a run whose worker was silent is not asked again for some seconds. */
  query<Answer>(workflowId: string, message: string, withinMs: number): Promise<Answer | null>;
  /** Whether somebody has paused the schedule with this id there; null when there is none, or no answer within `withinMs`. */
  isSchedulePaused(scheduleId: string, withinMs: number): Promise<boolean | null>;
  /** It could not be reached when a run was asked last. */
  readonly isAway: boolean;
  /** Makes the schedule with this id what is given, whether or not there is one. @throws InputError where the service does not know its time zone */
  ensureSchedule(schedule: RecurringScheduleOptions): Promise<void>;
  /** There may be none. */
  removeSchedule(scheduleId: string): Promise<void>;
  /** Resolves when the service answers. */
  ready(): Promise<void>;
}
