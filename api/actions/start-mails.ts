import type { FastifyBaseLogger } from 'fastify';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { startSoon } from '../users/start-soon.ts';

/** Starts the sending of the mails an action means, once it is committed. */
export async function startMails(
  context: Pick<ApiContext, 'workflows'>,
  log: FastifyBaseLogger,
  { mailIds, actionId, userId }: { mailIds: readonly number[]; actionId: number; userId: number },
): Promise<void> {
  await Promise.all(
    mailIds.map((jobId) =>
      startSoon(context, log, {
        workflow: 'sendConfirmation',
        workflowId: workflowId.sendConfirmation(jobId),
        taskQueue: TASK_QUEUE.campaign,
        input: { jobId },
        summary: `Mail after action ${actionId}`,
        searchAttributes: { UserId: userId, JobKind: 'confirmation' },
      }),
    ),
  );
}
