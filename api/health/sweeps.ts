import { type Client, WorkflowFailedError } from '@temporalio/client';
import { type Finding, look, wrong } from '../../domain/finding.ts';

/** One that failed may have met a restart of the database; a minute later the next one has begun. */
const IN_A_ROW = 2;

const ADVICE = 'workers are there and cannot do their work: look at their log and their DATABASE_URL';

/** The last sweeps that ended, where the latest failed: one begins each minute all the same. Nothing is sent, either, by workers that cannot do this. */
export async function lookAtSweeps(client: Client): Promise<Finding | null> {
  const ended: { runId: string; workflowId: string; failed: boolean }[] = [];
  const query = `WorkflowType = 'sweep' and ExecutionStatus in ('Completed', 'Failed', 'TimedOut')`;
  for await (const { runId, workflowId, status } of client.workflow.list({ query, pageSize: IN_A_ROW })) {
    ended.push({ runId, workflowId, failed: status.name !== 'COMPLETED' });
    if (ended.length === IN_A_ROW) break;
  }
  const [last] = ended;
  if (!last?.failed) return null;
  const says = `the sweep, which starts what has no run, failed: ${await whyFailed(client, last)}`;
  return (ended.length === IN_A_ROW && ended.every(({ failed }) => failed) ? wrong : look)('schedules', says, ADVICE);
}

/** In the words of what was at the bottom of it. */
async function whyFailed(client: Client, { workflowId, runId }: { workflowId: string; runId: string }): Promise<string> {
  try {
    await client.workflow.getHandle(workflowId, runId).result();
    return 'it is not said why';
  } catch (error) {
    let reason = error as Error;
    while (reason.cause instanceof Error) reason = reason.cause;
    return error instanceof WorkflowFailedError ? reason.message : 'it is not said why';
  }
}
