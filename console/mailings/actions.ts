import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking, stopping, transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { archiveMailing } from '../../core/mailings/archive.ts';
import { mustExist, statusOf } from '../../core/mailings/existing.ts';
import { markModel } from '../../core/mailings/model.ts';
import { stopMailing } from '../../core/mailings/stop-mailing.ts';
import { requestRebuild } from '../../core/targeting/request-rebuild.ts';
import { InputError } from '../../domain/errors.ts';

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
}
