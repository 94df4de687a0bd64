import type { FastifyBaseLogger } from 'fastify';
import { UnavailableError } from '../../domain/errors.ts';
import type { WorkflowStart } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';

/**
 * Starts the run of a job whose row is committed. When the workflow service is away the sweep starts it later: the caller's wish is written down
 * and will be done, so that is no error.
 */
export async function startSoon({ workflows }: Pick<ApiContext, 'workflows'>, log: FastifyBaseLogger, start: WorkflowStart): Promise<void> {
  try {
    await workflows.start(start);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    log.warn({ workflowId: start.workflowId }, 'the workflow service is away: the sweep will start this run');
  }
}
