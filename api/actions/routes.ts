import type { FastifyInstance } from 'fastify';
import { processAction } from '../../core/actions/process.ts';
import { processOnce } from '../../core/actions/process-once.ts';
import { actionUri, redirectAfter } from '../../core/actions/redirect.ts';
import { inPreparedTransaction } from '../../db/transaction.ts';
import { answerAkid } from '../../domain/akid.ts';
import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import { PHONES_BY_TYPE } from '../../domain/people/phone-number.ts';
import { PAGE_TYPES, type PageType, PHONE_TYPES } from '../../domain/words.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { empty, errorsBody, TOO_MANY, UNAVAILABLE } from '../resource/answers.ts';
import { Reader } from '../resource/read.ts';
import { objectSchema } from '../resource/schema.ts';
import { can, open } from '../route-options.ts';
import { booleanTaken, takes } from '../validation/takes.ts';
import { startMails } from './start-mails.ts';
import { readSubmission, senderOf } from './submission.ts';

const TEXT = { type: 'string' };
const ID = { anyOf: [{ type: 'integer' }, TEXT] };

/** What `POST /rest/v1/action/` takes; its reader takes the body as a whole. */
export const SUBMISSION = takes(
  'submission',
  {
    type: 'object',
    required: ['page'],
    properties: {
      page: { ...TEXT, description: 'Name of the page.' },
      email: { ...TEXT, description: 'Required without akid.' },
      akid: { ...TEXT, description: 'Required without email.' },
      referring_akid: TEXT,
      mailing_id: { ...ID, description: 'The mailing they came by: its id or URI.' },
      lists: { type: 'array', items: ID, description: 'Ids or URIs. Default: the list of the page, else the default list.' },
      opt_in: booleanTaken('false leaves the lists alone.'),
      skip_confirmation: booleanTaken('true sends no confirmation.'),
      suppress_subscribe: booleanTaken('true leaves the lists alone.'),
      source: { ...TEXT, default: 'restful_api' },
      ...Object.fromEntries(NAME_AND_ADDRESS.map((name) => [name, TEXT])),
      name: { ...TEXT, description: 'First and last name, where neither is given.' },
      phone: { ...TEXT, description: 'A number of the person, of the type that phone_type says.' },
      phone_type: { ...TEXT, enum: PHONE_TYPES, default: 'home', description: 'Of the number in phone.' },
      ...Object.fromEntries(PHONES_BY_TYPE.map(({ type, name }) => [name, { ...TEXT, description: `A number of the type ${type}.` }])),
    },
    additionalProperties: {
      description: '`user_<name>` for custom user fields, `action_<name>` for action fields; fields of the page’s type.',
    },
  },
  readSubmission,
);

/** Bytes: anybody may send here, and a form of a page is small. */
const BODY_LIMIT = 256 * 1024;

const LIMITED = {
  type: 'object',
  required: ['action_id', 'akid', 'redirect_url'],
  properties: { action_id: { type: 'integer' }, akid: TEXT, redirect_url: { ...TEXT, format: 'uri-reference' } },
};

/** `POST /rest/v1/action/`: what people do on pages. Open to everyone: forms on public pages send here. */
export function registerActions(app: FastifyInstance, context: ApiContext): void {
  const reader = new Reader(context.registry.get('action'), context);
  const full = objectSchema(reader.resource) as { properties: object; required: string[] };
  const ofType = readersOfMore(context, reader.resource.fields.length);
  const more = Object.values(ofType).map(({ resource }) => (objectSchema(resource) as typeof full).properties);
  const schema = {
    tags: ['Actions'],
    summary: 'Do something on a page',
    description: 'JSON or a form without files. With credentials that may read actions the answer is the whole action.',
    consumes: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    headers: IDEMPOTENCY_KEY,
    body: SUBMISSION,
    response: {
      201: {
        ...LIMITED,
        properties: { ...Object.assign({}, ...more), ...full.properties, ...LIMITED.properties },
        headers: { Location: TEXT },
      },
      400: {
        description: 'Input that cannot be used; an unknown page is said under `page`.',
        content: { 'application/json': { schema: REFUSED } },
      },
      401: empty('Wrong credentials.'),
      ...TOO_MANY,
      ...UNAVAILABLE,
    },
  };
  const options = { ...open({ forms: true, multipart: true, byCaller: true }), bodyLimit: BODY_LIMIT, schema };
  app.post('/rest/v1/action/', options, async (request, reply) => {
    const submission = readSubmission(request.body);
    for (const text of [submission.akid, submission.referringAkid]) context.guesses.check(request, text);
    const { done, shown } = await inPreparedTransaction(context.pool, async (sql) => {
      const done = await processOnce(sql, repeatable(request), () => processAction(sql, submission, context.env, senderOf(request)));
      if (!can(request, 'action:read')) return { done, shown: null };
      const written = (ofType[done.page.type] ?? reader).written(sql, done.actionId, (grant) => can(request, grant));
      return { done, shown: await written };
    });
    await startMails(context, request.log, done);
    const akid = answerAkid(context.env.SECRET_KEY, done.mailingId, done.userId, submission.akid);
    const answer = { action_id: done.actionId, akid, redirect_url: redirectAfter(context.env.BASE_URL, done, akid) };
    const uri = actionUri(done);
    reply.code(201).header('location', context.env.BASE_URL + uri);
    return { ...shown, ...answer };
  });
}

/** Of the types whose actions show more than any action does: the event that was made by one, say, which clients read in the answer. */
function readersOfMore(context: ApiContext, fields: number): Partial<Record<PageType, Reader>> {
  const resources = PAGE_TYPES.map((type) => [type, context.registry.get(`${type}action`)] as const);
  return Object.fromEntries(
    resources.filter(([, each]) => each.fields.length > fields).map(([type, each]) => [type, new Reader(each, context)]),
  );
}

const REFUSED = {
  type: 'object',
  properties: { ...errorsBody('').content['application/json'].schema.properties, page: TEXT },
  additionalProperties: false,
};
