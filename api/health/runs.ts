import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { isPaused, isStuck, triesOf, waitsForBuild } from '../../config/stuck-runs.ts';
import { counted } from '../../domain/counted.ts';
import { type Finding, look, well, wrong } from '../../domain/finding.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { unanswered } from './unanswered.ts';

/** So many are looked at, the latest first: thousands may wait for their time. */
const RUNS_LOOKED_AT = 100;

/** Where workers take something. */
const QUEUES: string[] = Object.values(TASK_QUEUE);
/** No activity of ours has less time, or may be silent for less (SEND_LEASE_SECONDS), and none waits for longer until it is tried again. */
const SHORTEST_SECONDS = 15;
const SHORTEST_SILENCE_SECONDS = 2;
const LONGEST_PAUSE_SECONDS = 3600;

type Activity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];
type Limit = NonNullable<Activity['activityOptions']>['startToCloseTimeout'];

/** gRPC's number for what a server does not understand. */
const INVALID_ARGUMENT = 3;

/** Runs under way that do not go on by themselves; none where all do. Of a round, too: no later one begins before it has ended. */
export async function lookAtRuns(client: Client): Promise<Finding[]> {
  const found: Finding[] = [];
  let left = RUNS_LOOKED_AT;
  for await (const workflowId of underWay(client)) {
    if (left-- === 0) {
      found.push(well('runs', `the ${RUNS_LOOKED_AT} begun last were looked at; there are more`));
      break;
    }
    let raw: WorkflowExecutionDescription['raw'];
    try {
      ({ raw } = await client.workflow.getHandle(workflowId).describe());
    } catch (error) {
      // It has ended meanwhile, and is not kept.
      if (error instanceof WorkflowNotFoundError) continue;
      return [...found, unanswered('runs', error as Error)];
    }
    const build = waitsForBuild(raw);
    if (isPaused(raw)) {
      found.push(look('runs', `${workflowId} was paused in Temporal`, 'unpause it there; a send that is stopped ends'));
    } else if (isStuck(raw)) {
      const todo = 'see why in the Temporal UI; after an upgrade, start workers of the release before; a send that is stopped ends';
      found.push(wrong('runs', `${workflowId} cannot take its next step, tried ${counted(triesOf(raw), 'time', 'times')}`, todo));
    } else if (build !== null) {
      const says = `${workflowId} was pinned in Temporal to build ${build}, of which no worker takes its next step`;
      const undo = `temporal workflow update-options --workflow-id ${workflowId} --versioning-override-behavior unspecified`;
      found.push(wrong('runs', says, `start workers of that build, or undo it: ${undo}`));
    } else if (raw.pendingActivities?.some(({ paused }) => paused))
      found.push(look('runs', `${workflowId} has an activity that was paused in Temporal`, 'unpause it there; to hold a send, stop it'));
    else {
      const says = changedByHand(raw.pendingActivities ?? []);
      // The servers there are do not all give an activity back what it had, where one is to (--restore-original-options); after a reset it is begun anew, with that.
      const undo = `temporal workflow reset --workflow-id ${workflowId} --type LastWorkflowTask --reason "options of an activity"`;
      if (says) found.push(wrong('runs', `${workflowId} has an activity ${says}`, `undo it: ${undo}`));
    }
  }
  return found;
}

/** What keeps an activity from being done that was given other options in Temporal (`temporal activity update-options`); null where none was. */
function changedByHand(activities: Activity[]): string | null {
  for (const { activityType, activityOptions: options, currentRetryInterval } of activities) {
    const somebody = `(${activityType?.name}) that somebody in Temporal`;
    const queue = options?.taskQueue?.name;
    if (queue && !QUEUES.includes(queue)) return `${somebody} moved to the task queue ${queue}, of which no worker takes anything`;
    if (isBelow(options?.startToCloseTimeout, SHORTEST_SECONDS) || isBelow(options?.heartbeatTimeout, SHORTEST_SILENCE_SECONDS))
      return `${somebody} gave less time than it may need`;
    if (Number(currentRetryInterval?.seconds ?? 0) > LONGEST_PAUSE_SECONDS) return `${somebody} has wait for hours until it is tried again`;
  }
  return null;
}

/** Whether there is a limit, and it is below that. */
const isBelow = (limit: Limit, seconds: number): boolean => {
  const limited = Number(limit?.seconds ?? 0) + (limit?.nanos ?? 0) / 1e9;
  return limited > 0 && limited < seconds;
};

/** The ids of runs that have not ended. Paused ones are not running, by their status, and a server on which none can be paused refuses to look for them. */
async function* underWay(client: Client): AsyncGenerator<string> {
  const runs = async function* (query: string) {
    for await (const { workflowId } of client.workflow.list({ query })) yield workflowId;
  };
  const running = `ExecutionStatus = 'Running'`;
  try {
    yield* runs(`${running} or ExecutionStatus = 'Paused'`);
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code !== INVALID_ARGUMENT) throw error;
    yield* runs(running);
  }
}
