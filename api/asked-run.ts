import type { FastifyBaseLogger } from 'fastify';
import { type JobProgress, MESSAGE } from '../workflows/contracts.ts';
import type { WorkflowGateway } from './workflow-gateway.ts';

/** A question to a run lasts no longer; whoever asks has the row. */
export const PATIENCE_MS = 1000;

interface Job<State> {
  /** Id of its run. */
  run: string;
  /** Its state as the row has it; null when there is no such job. */
  read: () => Promise<State | null>;
  over: (state: State) => boolean;
}

/**
 * How far a job is. While it is not over its run is asked, a second at most. A run knows first that it has come to its end, and its row says how: then that is read again. All
 * else is in the row at any moment, since the statement that does the work counts it; so what is told is the same whether a worker answers or not.
 */
export async function stateOfJob<State>(
  { workflows, log }: { workflows: WorkflowGateway; log: FastifyBaseLogger },
  { run, read, over }: Job<State>,
): Promise<State | null> {
  const state = await read();
  if (state === null || over(state)) return state;
  const told = await workflows.query<JobProgress>(run, MESSAGE.progress, PATIENCE_MS);
  log.debug({ workflowId: run, source: told ? 'run' : 'row' }, 'told how far a job is');
  return told?.phase === 'over' ? read() : state;
}
