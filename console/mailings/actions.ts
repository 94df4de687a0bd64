import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking, stopping, transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { proofsWish } from '../../api/mailer/proofs.ts';
import { idOf } from '../../api/resource/routes.ts';
import { archiveMailing } from '../../core/mailings/archive.ts';
import { mustExist, statusOf } from '../../core/mailings/existing.ts';
import { markModel } from '../../core/mailings/model.ts';
import { type ProofsBody, requestProofs } from '../../core/mailings/request-proofs.ts';
import { stopMailing } from '../../core/mailings/stop-mailing.ts';
import { requestRebuild } from '../../core/targeting/request-rebuild.ts';
import { InputError } from '../../domain/errors.ts';
import { pressed } from '../pressed-once.ts';

/** What one press of a button does: the same as the API's routes. */
export function registerMailingActions(app: FastifyInstance, context: ApiContext): void {
  app.post('/console/mailings/:id/stop', page('mailer:send'), async (request, reply) => {
    const id = idOf(request);
    try {
      await stopMailing(stopping(context), id);
    } catch (error) {
      // Pressed twice: it stands still by the first, and whoever is told of the second alone would think that it could not be stopped.
      const status = error instanceof InputError ? await statusOf(context.pool, id) : null;
      if (status !== 'draft' && status !== 'stopped') throw error;
    }
    return reply.redirect(`/console/mailings/${id}/?done=stopping`, 303);
  });

  app.post('/console/mailings/:id/rebuild', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    await requestRebuild(asking(context, 'rebuildTargets'), { mailingId: id, accountId: request.account!.id });
    return reply.redirect(`/console/mailings/${id}/?done=rebuilding`, 303);
  });

  for (const wanted of [true, false]) {
    app.post(`/console/mailings/:id/${wanted ? 'archive' : 'unarchive'}`, page('mailer:write'), async (request, reply) => {
      const id = idOf(request);
      await transactionOf(context)((sql) => archiveMailing(sql, id, wanted));
      return reply.redirect(`/console/mailings/${id}/`, 303);
    });

    app.post(`/console/mailings/:id/${wanted ? 'model' : 'unmodel'}`, page('mailer:write'), async (request, reply) => {
      const id = idOf(request);
      await mustExist(context.pool, id);
      await transactionOf(context)((sql) => markModel(sql, id, wanted));
      return reply.redirect(`/console/mailings/${id}/`, 303);
    });
  }

  app.post('/console/mailings/:id/proofs', page('mailer:send'), async (request, reply) => {
    const id = idOf(request);
    const body = proofsOf(request.body as Record<string, unknown>);
    // For others, or another day, they are asked for anew.
    const press = pressed(request, `/console/mailings/${id}/proofs ${JSON.stringify(body)}`);
    await requestProofs(asking(context, 'sendProofs'), { ...proofsWish(context, request, body), press });
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
