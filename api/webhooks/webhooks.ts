import type { FastifyInstance } from 'fastify';
import { PURPOSE } from '../../core/webhooks/deliver.ts';
import { clearDeliveries, retryDelivery } from '../../core/webhooks/deliveries.ts';
import { addressIn, isOutside } from '../../core/webhooks/outside.ts';
import { checkRoomForWebhook } from '../../core/webhooks/room.ts';
import { SECRET } from '../../core/webhooks/signature.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { seal } from '../../domain/sealed.ts';
import { WEBHOOK_EVENTS } from '../../domain/words.ts';
import { Webhook, WebhookDelivery } from '../../entities/webhooks/webhook.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty } from '../resource/answers.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { belonging } from '../users/user.ts';

const LONGEST_URL = 2000;

const areEvents = (given: unknown[]) =>
  given.length > 0 && given.every((each) => WEBHOOK_EVENTS.includes(each as never))
    ? undefined
    : `must hold some of ${WEBHOOK_EVENTS.join(', ')}`;

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || text.length > LONGEST_URL)
    return 'must be an address that begins with https:// or http://';
  return url.username || url.password ? 'must hold no user name and no password' : undefined;
}

/** A name is looked up at each delivery; what is an address already can be refused at once. @throws InputError */
function beforeSave({ values, extra, context: { env } }: Change): void {
  const address = typeof values['url'] === 'string' ? addressIn(new URL(values['url'])) : null;
  if (address !== null && !env.WEBHOOKS_INSIDE && !isOutside(address))
    throw new InputError({ url: `url must not be an address of this network (${address}); WEBHOOKS_INSIDE allows it.` });
  // What is changed of it may be why it did not answer.
  Object.assign(values, { failures: 0, restsUntil: null });
  const secret = extra['secret'] ?? values['secret'];
  if (typeof secret === 'string') values['secret'] = seal(env.SECRET_KEY, PURPOSE, secret);
}

export const webhook = resource({
  name: 'webhook',
  about: 'an address of somebody else’s that is told what happens here',
  area: 'Webhooks',
  entity: Webhook,
  inside: ['failures', 'restsUntil'],
  fields: {
    url: { check: urlProblem },
    events: {
      kind: 'list',
      check: areEvents,
      help: `Of what it is told: ${WEBHOOK_EVENTS.join(', ')}.`,
      schema: { type: 'array', items: { enum: WEBHOOK_EVENTS } },
    },
    secret: {
      readonly: false,
      writeonly: true,
      required: true,
      check: (secret: string) => (SECRET.test(secret) ? undefined : 'must be whsec_ and 24 to 64 bytes in base64'),
      help: 'whsec_ and 24 to 64 bytes in base64; deliveries are signed with it as Standard Webhooks has it. Never shown.',
    },
    deliveries: belonging('webhookdelivery', 'webhook'),
  },
  filtering: { id: SINCE, active: EXACT, url: 'all', created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  hooks: {
    beforeCreate: async (change) => {
      await checkRoomForWebhook(change.sql);
      beforeSave(change);
    },
    beforeUpdate: beforeSave,
    deletePart: ({ sql, id }, after) => clearDeliveries(sql, id, after),
  },
});

export const webhookdelivery = resource({
  name: 'webhookdelivery',
  about: 'what a webhook was told, or is still to be',
  area: 'Webhooks',
  entity: WebhookDelivery,
  permission: 'webhook',
  methods: ['list', 'get'],
  inside: ['askedAt'],
  fields: {
    // A bigint, which the driver gives as text.
    id: { show: ({ id }) => Number(id) },
    resource: { help: 'What it is about: a resource and an id.' },
    last_status: { help: 'Of the last answer; null when none came.' },
    next_at: { help: 'Not tried before.' },
  },
  filtering: { id: SINCE, webhook: 'joins', event: EXACT, status: EXACT, created_at: SINCE, next_at: SINCE },
  ordering: ['created_at', 'next_at'],
});

/** `POST /rest/v1/webhookdelivery/{id}/retry/`. */
export function registerWebhookRetry(app: FastifyInstance, { pool }: ApiContext): void {
  const schema = {
    tags: ['Webhooks'],
    summary: 'Have a delivery tried again at once, whatever became of it',
    params: ID_PARAMETER,
    response: { 202: empty('It is due.'), 404: empty('Absent.'), ...COMMON },
  };
  app.post('/rest/v1/webhookdelivery/:id/retry/', { ...requires('webhook:write'), schema }, async (request, reply) => {
    if (!(await retryDelivery(sqlOn(pool), idOf(request)))) throw new NotFoundError();
    return reply.code(202).send();
  });
}
