import type { FastifyInstance } from 'fastify';
import { pushDonation } from '../../core/donations/push/push-donation.ts';
import { recordingRefusal } from '../../core/donations/push/refused.ts';
import { startMails } from '../actions/start-mails.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { COMMON, errorsBody, withLocation } from '../resource/answers.ts';
import { requires } from '../route-options.ts';
import { pushTransaction } from './make-page.ts';
import { readDonation } from './push/donation-input.ts';
import { DONATION, PUSHED, REFUSED } from './schemas.ts';

/** `POST /rest/v1/donationpush/`. docs/architecture.md walks from here to the rows. */
export function registerDonationPush(app: FastifyInstance, context: ApiContext): void {
  const { env, pool } = context;
  const live = env.API_STATUS_CODES === 'live';
  const schema = {
    tags: ['Donations'],
    summary: 'Add a donation that was processed elsewhere',
    headers: IDEMPOTENCY_KEY,
    body: DONATION,
    response: {
      ...(live ? { 201: { ...withLocation(PUSHED.description), ...PUSHED } } : { 200: PUSHED }),
      400: REFUSED,
      409: errorsBody('The donation_import_id was imported before; Location is the order.'),
      ...COMMON,
    },
  };
  // What is refused is written down, so that the route sees it.
  app.post('/rest/v1/donationpush/', { ...requires('donation:manage'), attachValidation: true, schema }, async (request, reply) => {
    const deps = { pool, transaction: pushTransaction(context, request) };
    const { action, donated } = await recordingRefusal({ pool, secret: env.SECRET_KEY }, request.body, async () => {
      if (request.validationError) throw request.validationError;
      return pushDonation(deps, readDonation(request.body), repeatable(request));
    });
    if (donated) await startMails(context, request.log, donated);
    if (!live) return action;
    return reply
      .code(201)
      .header('location', env.BASE_URL + String(action['resource_uri']))
      .send(withUris(action));
  });
}

/** As servers in the field answer, and as on GET: clients of theirs give the new profile its processor's `recurring_id` by the first of these. */
function withUris(action: Record<string, unknown>): Record<string, unknown> {
  const order = action['order'] as Record<'orderdetails' | 'orderrecurrings', { resource_uri: string }[]> | null;
  // Deleted since, where a push is sent again.
  if (order === null) return action;
  const uris = (parts: { resource_uri: string }[]) => parts.map((part) => part.resource_uri);
  return { ...action, order: { ...order, orderdetails: uris(order.orderdetails), orderrecurrings: uris(order.orderrecurrings) } };
}
