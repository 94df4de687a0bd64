import type { FastifyInstance } from 'fastify';
import { cancelByAdmin, pushCancel, pushPayment, pushUpdate } from '../../core/donations/push/profile.ts';
import { reverseOrder, reverseTransaction } from '../../core/donations/reverse.ts';
import { once } from '../../core/once.ts';
import type { Sql } from '../../db/sql.ts';
import { uriOf } from '../../domain/uris.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, empty, withLocation } from '../resource/answers.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { readCancel, readPayment, readUpdate } from './push/profile-input.ts';
import { registerDonationPush } from './push-route.ts';
import { CANCEL, PAYMENT, REFUSED, UPDATE } from './schemas.ts';

const MANAGE = requires('donation:manage');
const TAGS = { tags: ['Donations'] };

/** The four pushes, and what is done to donations by hand. */
export function registerDonations(app: FastifyInstance, context: ApiContext): void {
  registerDonationPush(app, context);
  const profilePush = (path: string, summary: string, body: object, push: (sql: Sql, body: unknown) => Promise<number>) => {
    const response = { 201: withLocation('The transaction that was added.'), 400: REFUSED, ...COMMON };
    const schema = { ...TAGS, summary, headers: IDEMPOTENCY_KEY, body, response };
    app.post(`/rest/v1/${path}/`, { ...MANAGE, schema }, async (request, reply) => {
      const id = await inTransaction(context, (_em, sql) => once(sql, repeatable(request), () => push(sql, request.body)));
      return reply
        .code(201)
        .header('location', context.env.BASE_URL + uriOf('transaction', id))
        .send();
    });
  };
  profilePush('recurringpaymentpush', 'Add a payment, or a failed attempt, to a profile', PAYMENT, async (sql, body) =>
    pushPayment(sql, readPayment(body)),
  );
  profilePush('profileupdatepush', 'Change a profile', UPDATE, async (sql, body) => pushUpdate(sql, readUpdate(body)));
  profilePush('profilecancelpush', 'End a profile', CANCEL, async (sql, body) => pushCancel(sql, readCancel(body)));

  const byHand = (path: string, summary: string, work: (sql: Sql, id: number) => Promise<void>) => {
    const schema = {
      ...TAGS,
      summary,
      params: ID_PARAMETER,
      response: { 202: empty('Done.'), 400: REFUSED, 404: empty('Absent.'), ...COMMON },
    };
    app.post(`/rest/v1/${path}/`, { ...MANAGE, schema }, async (request, reply) => {
      const id = idOf(request);
      await inTransaction(context, (_em, sql) => work(sql, id));
      return reply.code(202).send();
    });
  };
  byHand('order/:id/reverse', 'Give a donation back, with all payments on it', reverseOrder);
  byHand('transaction/:id/reverse', 'Give one payment back', reverseTransaction);
  byHand('orderrecurring/:id/cancel', 'End a profile; it is then canceled_by_admin', cancelByAdmin);
}
