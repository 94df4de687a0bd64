import type { FastifyInstance } from 'fastify';
import { switchOffSchedule } from '../../core/mailings/recurring.ts';
import { askToStop, endUnstarted, type Stopping } from '../../core/mailings/transitions.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, UnavailableError } from '../../domain/errors.ts';
import { checkStop, STOPPABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { MESSAGE, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { empty } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute, REFUSED, readKeys } from './action-route.ts';

/** POST /rest/v1/mailer/{id}/stop/. */
export function registerStop(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:send', 'Stop sending, or take the mailing off the schedule', {
    202: empty('It will stop within seconds: what was being sent is stopped, what had not begun is a draft again.'),
    400: REFUSED,
  });
  app.post('/rest/v1/mailer/:id/stop/', options, async (request, reply) => {
    readKeys(request.body, []);
    await stopMailing(context, idOf(request));
    return reply.code(202).send();
  });
}

/**
 * Stops what is being sent, and takes what waits off the schedule; it ends within seconds.
 * @throws NotFoundError; InputError when there is nothing to stop
 */
export async function stopMailing(context: ApiContext, id: number): Promise<void> {
  const stopping = await markStopped(context.pool, id);
  // Recurring mailings have no run of their own that waits.
  if (stopping.status === 'recurring') await endRecurring(context, id, stopping);
  else await tellRun(context, id, stopping);
}

/** Writes the stop down: every group commit of a send looks for it, so that it holds even if the workflow service is away. */
async function markStopped(pool: ApiContext['pool'], id: number): Promise<Stopping> {
  const marked = await askToStop(sqlOn(pool), id);
  if (marked) return marked;
  const { rows } = await pool.query<{ status: MailingStatus }>('select status from core_mailing where id = $1', [id]);
  if (!rows[0]) throw new NotFoundError();
  // Between the two statements it may have begun; then it is asked again.
  if (STOPPABLE.includes(rows[0].status)) return markStopped(pool, id);
  checkStop(rows[0].status);
  return { status: rows[0].status, queuedAt: null };
}

/** Where nobody runs it there is nothing to wait for. */
async function tellRun(context: ApiContext, id: number, stopping: Stopping): Promise<void> {
  try {
    await context.workflows.signal(workflowId.sendMailing(id), MESSAGE.stop);
  } catch (error) {
    if (error instanceof NotFoundError) await endUnstarted(sqlOn(context.pool), id, stopping);
    // Away: whoever runs the mailing, or takes it up again, finds the mark.
    else if (!(error instanceof UnavailableError)) throw error;
  }
}

/** A schedule that cannot be taken away now is taken away by its own next run, which finds that nothing is to recur. */
async function endRecurring(context: ApiContext, id: number, stopping: Stopping): Promise<void> {
  await switchOffSchedule(sqlOn(context.pool), id);
  await endUnstarted(sqlOn(context.pool), id, stopping);
  try {
    await context.workflows.removeSchedule(workflowId.runRecurring(id));
  } catch (error) {
    if (!(error instanceof UnavailableError || error instanceof NotFoundError)) throw error;
  }
}
