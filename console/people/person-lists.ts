import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { subscriptionOf } from '../../core/people/single-subscription.ts';
import { sqlOn } from '../../db/sql.ts';
import { ConflictError, InputError, NotFoundError } from '../../domain/errors.ts';
import { idsOf, type Sent } from '../fields.ts';
import { pressed } from '../pressed-once.ts';

/** What a form does that is sent again, by a browser that loads its answer anew, say, is done: what they did since is theirs. */
const since = (what: string): InputError =>
  new InputError({ list: `They ${what} this list since the page of them was opened: nothing was changed. Look at them again.` });

/** Putting somebody on a list and taking them off: what a POST and a DELETE of a subscription do. */
export function registerPersonLists(app: FastifyInstance, context: ApiContext): void {
  const writer = new Writer(context.registry.get('subscription'), context);
  const sql = sqlOn(context.pool);

  app.post('/console/people/:id/subscribe', page('subscription:write'), async (request, reply) => {
    const [user, [list]] = [idOf(request), idsOf(request.body as Sent, 'list')];
    try {
      await writer.create(request, { user, list: list ?? null }, pressed(request, `/console/people/${user}/subscribe ${list}`));
      if ((await subscriptionOf(sql, user, list!)) === null) throw since('left');
    } catch (error) {
      // On it already: that is what was wanted.
      if (!(error instanceof ConflictError)) throw error;
    }
    return reply.redirect(`/console/people/${user}/?done=subscribed`, 303);
  });

  app.post('/console/people/:id/unsubscribe', page('subscription:delete'), async (request, reply) => {
    const [user, [list]] = [idOf(request), idsOf(request.body as Sent, 'list')];
    const [shown] = idsOf(request.body as Sent, 'subscription');
    const subscription = await subscriptionOf(sql, user, list ?? 0);
    if (subscription !== null && shown !== undefined && subscription !== shown) throw since('came back to');
    try {
      if (subscription !== null) await writer.delete(subscription, request);
    } catch (error) {
      // Not on it any more, as where there is none: that is what was wanted.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return reply.redirect(`/console/people/${user}/?done=unsubscribed`, 303);
  });
}
