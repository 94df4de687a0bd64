import type { EntityManager } from '@mikro-orm/postgresql';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pushedAction } from '../../core/donations/push/answer.ts';
import { type Donated, donate } from '../../core/donations/push/donate.ts';
import { once, type Repeatable } from '../../core/donations/push/once.ts';
import { cancelByAdmin, pushCancel, pushPayment, pushUpdate } from '../../core/donations/push/profile.ts';
import { logRefusal, translated } from '../../core/donations/push/refused.ts';
import { PageMissing } from '../../core/donations/push/setting.ts';
import { reverseOrder, reverseTransaction } from '../../core/donations/reverse.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inPreparedTransaction } from '../../db/transaction.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { startMails } from '../actions/start-mails.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody, withLocation } from '../resource/answers.ts';
import { DESCRIBES_ONLY, ID_PARAMETER, idOf } from '../resource/routes.ts';
import { inTransaction } from '../resource/write.ts';
import { requires } from '../route-options.ts';
import { pageMaker } from './make-page.ts';
import { readDonation } from './push/donation-input.ts';
import { readCancel, readPayment, readUpdate } from './push/profile-input.ts';
import { CANCEL, DONATION, PAYMENT, PUSHED, REFUSED, UPDATE } from './schemas.ts';

const MANAGE = { ...DESCRIBES_ONLY, ...requires('donation:manage') };
const TAGS = { tags: ['Donations'] };

/** The four pushes, and what is done to donations by hand. */
export function registerDonations(app: FastifyInstance, context: ApiContext): void {
  registerDonationPush(app, context);
  const profilePush = (path: string, summary: string, body: object, push: (sql: Sql, body: unknown) => Promise<number>) => {
    const schema = { ...TAGS, summary, body, response: { 201: withLocation('The transaction that was added.'), 400: REFUSED, ...COMMON } };
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

function registerDonationPush(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  const live = env.API_STATUS_CODES === 'live';
  const schema = {
    ...TAGS,
    summary: 'Add a donation that was processed elsewhere',
    description: 'With an Idempotency-Key header the same push sent again is answered with what the first one made.',
    body: DONATION,
    response: {
      [live ? 201 : 200]: PUSHED,
      400: REFUSED,
      409: errorsBody('The donation_import_id was imported before; Location is the order.'),
      ...COMMON,
    },
  };
  app.post('/rest/v1/donationpush/', { ...MANAGE, schema }, async (request, reply) => {
    const action = await pushDonation(context, request);
    if (live) reply.code(201).header('location', env.BASE_URL + String(action['resource_uri']));
    return action;
  });
}

async function pushDonation(context: ApiContext, request: FastifyRequest): Promise<Record<string, unknown>> {
  try {
    const input = readDonation(request.body);
    try {
      let donated: Donated | undefined;
      const work = async (em: EntityManager | null, sql: Sql) => {
        const id = await once(sql, repeatable(request), async () => {
          donated = await donate({ sql, env: context.env, makePage: em && pageMaker(context, request, em, sql) }, input);
          return donated.actionId;
        });
        return pushedAction(sql, id, context.env.SECRET_KEY);
      };
      const action = await inPreparedTransaction(context.pool, (sql) => work(null, sql)).catch((error) => {
        if (error instanceof PageMissing) return inTransaction(context, work);
        throw error;
      });
      if (!action) throw new NotFoundError();
      if (donated) await startMails(context, request.log, donated);
      return action;
    } catch (error) {
      throw await translated(error, context.pool, input);
    }
  } catch (error) {
    await logRefusal(sqlOn(context.pool), request.body, error);
    throw error;
  }
}

const repeatable = (request: FastifyRequest): Repeatable => ({
  idempotencyKey: String(request.headers['idempotency-key'] ?? ''),
  accountId: request.account?.id,
  route: request.routeOptions.url ?? '',
  body: request.body,
});
