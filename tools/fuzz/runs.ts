import type { Client } from '@temporalio/client';
import { lookAtRuns } from '../../api/health/runs.ts';

/** A run does not fail: what it was to do has a row that says how it went. */
const BADLY_ENDED = `ExecutionStatus in ('Failed', 'TimedOut', 'Terminated')`;

/** Runs that ended in a way none should, and those that do not go on. */
export async function wrongRuns(client: Client): Promise<string[]> {
  const wrong: string[] = [];
  for await (const { workflowId, status } of client.workflow.list({ query: BADLY_ENDED }))
    wrong.push(`the run ${workflowId} is ${status.name.toLowerCase()}`);
  for (const { says } of await lookAtRuns(client)) wrong.push(says);
  return wrong;
}
