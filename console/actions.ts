import type { FastifyInstance } from 'fastify';
import { page } from '../api/accounts/session.ts';
import type { ApiContext } from '../api/deps.ts';
import { type ProofsBody, requestProofs } from '../api/mailer/proofs.ts';
import { requestRebuild } from '../api/mailer/rebuild.ts';
import { stopMailing } from '../api/mailer/stop.ts';
import { idOf } from '../api/resource/routes.ts';

/** What one press of a button does: the same as the API's routes. */
export function registerMailingActions(app: FastifyInstance, context: ApiContext): void {
  app.post('/console/mailings/:id/stop', page('mailer:send'), async (request, reply) => {
    const id = idOf(request);
    await stopMailing(context, id);
    return reply.redirect(`/console/mailings/${id}/?done=stopping`, 303);
  });

  app.post('/console/mailings/:id/rebuild', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    await requestRebuild(context, id);
    return reply.redirect(`/console/mailings/${id}/?done=rebuilding`, 303);
  });

  app.post('/console/mailings/:id/proofs', page('mailer:send'), async (request, reply) => {
    const id = idOf(request);
    await requestProofs(context, request, id, proofsOf(request.body as Record<string, unknown>));
    return reply.redirect(`/console/mailings/${id}/preview/#proofs`, 303);
  });
}

/** The form's fields as the body of a request for proofs; what it leaves empty is not asked for. */
function proofsOf({ proofs, reviewers, date }: Record<string, unknown>): ProofsBody {
  const addresses = typeof reviewers === 'string' ? reviewers.split(/[\s,;]+/).filter(Boolean) : reviewers;
  const many = typeof proofs === 'string' && /^\d{1,3}$/.test(proofs) ? Number(proofs) : proofs;
  return {
    proofs: many,
    ...(Array.isArray(addresses) && addresses.length === 0 ? {} : { reviewers: addresses }),
    ...(date ? { date } : {}),
  };
}
