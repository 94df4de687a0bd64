import type { WorkflowExecutionDescription } from '@temporalio/client';

/** Tries of a run's next step that have failed: fewer of them can come of workers that died or fell silent, and the third comes after some seconds. */
const STUCK_TRIES = 4;

type Described = WorkflowExecutionDescription['raw'];

/** How often the next step of a run has been tried. */
export const triesOf = ({ pendingWorkflowTask }: Described): number => pendingWorkflowTask?.attempt ?? 1;

/** Whether a run cannot go on: its own code fails at its next step, on each worker that tries it. */
export const isStuck = (described: Described): boolean => triesOf(described) >= STUCK_TRIES;

/** Paused in Temporal, which servers from 1.30 on may let operators do: it has not ended, and takes no step until somebody has it go on. */
export const isPaused = ({ workflowExecutionInfo }: Described): boolean => workflowExecutionInfo?.status === PAUSED;

/** `WORKFLOW_EXECUTION_STATUS_PAUSED`. */
const PAUSED = 8;

/**
 * The build of the workers that somebody pinned a run to (`temporal workflow update-options`), while no worker of it takes the run's next step: those of other builds do not, until that
 * is undone. Null of all other runs.
 */
export function waitsForBuild({ workflowExecutionInfo, pendingWorkflowTask }: Described): string | null {
  const pinned = workflowExecutionInfo?.versioningInfo?.versioningOverride?.pinned;
  const isUntaken = !!pendingWorkflowTask && !pendingWorkflowTask.startedTime;
  return pinned && isUntaken ? (pinned.version?.buildId ?? '') : null;
}
