import type { FastifyInstance } from 'fastify';
import { queueMailing } from '../../core/mailings/queue-mailing.ts';
import { asking } from '../asking.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute, NO_FIELDS, REFUSED } from './action-route.ts';

/** POST /rest/v1/mailer/{id}/queue/: sends for real, or schedules. */
export function registerQueue(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:send',
    'Send the mailing, or schedule it',
    {
      201: withLocation('Queued, or scheduled where scheduled_for is to come; Location is the progress.'),
      400: REFUSED,
    },
    { headers: IDEMPOTENCY_KEY, body: NO_FIELDS },
  );
  app.post('/rest/v1/mailer/:id/queue/', options, async (request, reply) => {
    const id = idOf(request);
    await queueMailing({ ...asking(context, 'sendMailing'), env: context.env }, id, request.account!.id, { again: repeatable(request) });
    return reply.code(201).header('location', `${context.env.BASE_URL}/rest/v1/mailer/${id}/progress/`).send();
  });
}
