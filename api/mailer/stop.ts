import type { FastifyInstance } from 'fastify';
import { stopMailing } from '../../core/mailings/stop-mailing.ts';
import { stopping } from '../asking.ts';
import type { ApiContext } from '../deps.ts';
import { empty } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute, NO_FIELDS, REFUSED } from './action-route.ts';

/** POST /rest/v1/mailer/{id}/stop/. */
export function registerStop(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:send',
    'Stop sending, or take the mailing off the schedule',
    {
      202: empty('It will stop within seconds: what was being sent is stopped, what had not begun is a draft again.'),
      400: REFUSED,
    },
    { body: NO_FIELDS },
  );
  app.post('/rest/v1/mailer/:id/stop/', options, async (request, reply) => {
    await stopMailing(stopping(context), idOf(request));
    return reply.code(202).send();
  });
}
