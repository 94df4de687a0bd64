import type { FastifyBaseLogger } from 'fastify';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { startSoon } from '../users/start-soon.ts';

/** Starts the sending of the confirmation of an action that is committed, where there is one. */
export async function startConfirmation(
  context: Pick<ApiContext, 'workflows'>,
  log: FastifyBaseLogger,
  { confirmationId, actionId, userId }: { confirmationId: number | null; actionId: number; userId: number },
): Promise<void> {
  if (confirmationId === null) return;
  await startSoon(context, log, {
    workflow: 'sendConfirmation',
    workflowId: workflowId.sendConfirmation(confirmationId),
    taskQueue: TASK_QUEUE.campaign,
    input: { jobId: confirmationId },
    summary: `Confirm action ${actionId}`,
    searchAttributes: { UserId: userId, JobKind: 'confirmation' },
  });
}
