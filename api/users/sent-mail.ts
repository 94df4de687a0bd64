import type { FastifyInstance } from 'fastify';
import { type ReferenceContext, readReference } from '../../core/references.ts';
import { type OfWhom, type SentMail, sentMails } from '../../core/sending/sent-mails.ts';
import { NotFoundError, RequestError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { MAX_INT } from '../../domain/values.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { type QueryParameters, readPaging } from '../resource/query.ts';
import { pageMeta } from '../resource/read.ts';
import { collectionSchema } from '../resource/schema.ts';
import { requires } from '../route-options.ts';
import { takes } from '../validation/takes.ts';

/** Both names a user shows them under; the same collection. */
export const SENT_MAIL_NAMES = ['sentmail', 'usermailing'] as const;

const URI = { type: 'string', format: 'uri-reference' };
const MAIL = {
  type: 'object',
  required: ['id', 'user', 'mailing', 'subject', 'created_at', 'resource_uri'],
  properties: {
    id: { type: 'integer', description: 'As core_usermailing.id in reports.' },
    user: {
      ...URI,
      type: ['string', 'null'],
      description: 'Null of one who was deleted since, or merged with somebody else in the mailing.',
    },
    mailing: { ...URI, description: 'The mailing it was a mail of.' },
    subject: { type: 'string', description: 'As the mailing has it.' },
    created_at: { type: 'string', description: 'When the relay took it, YYYY-MM-DDTHH:MM:SS in UTC.' },
    resource_uri: { ...URI, description: 'URI of this object.' },
  },
};

const described = (type: string, help: string, more: object = {}) => ({
  ...{ type, nullable: false, readonly: true, unique: false, blank: false, default: null, help_text: help },
  ...more,
});
const related = (to: string) => ({ related_type: 'to_one', related_resource: to });

/** As other resources describe theirs in their schema documents. */
const FIELDS = {
  id: described('integer', MAIL.properties.id.description, { unique: true }),
  user: described('related', MAIL.properties.user.description, { nullable: true, ...related('user') }),
  mailing: described('related', MAIL.properties.mailing.description, related('mailing')),
  subject: described('string', MAIL.properties.subject.description, { blank: true }),
  created_at: described('datetime', MAIL.properties.created_at.description),
  resource_uri: described('string', MAIL.properties.resource_uri.description, { unique: true }),
};

/** Who was sent what is known by person and mailing: one number holds both. Whoever was deleted since has a number below 0 there. */
const PEOPLE = 2n ** 32n;
const ID = { type: 'string', description: 'Of the mail.', examples: [String(PEOPLE + 1n)] };
const PARAMETERS = { type: 'object', required: ['id'], properties: { id: ID } };

/** @throws NotFoundError when it can be none */
function readId(text: string): Required<OfWhom> {
  const id = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
  const user = Number(BigInt.asIntN(32, id));
  const mailing = Number((id - BigInt(user)) / PEOPLE);
  if (mailing > MAX_INT) throw new NotFoundError();
  return { user, mailing };
}

/** Mails the relay took for a user, or of a mailing. */
export function registerSentMail(app: FastifyInstance, { pool, longReads, registry, env }: ApiContext): void {
  for (const name of SENT_MAIL_NAMES) {
    const path = `/rest/v1/${name}/`;
    const show = ({ user_id: user, mailing_id: mailing, subject, created_at }: SentMail) => {
      const id = BigInt(mailing) * PEOPLE + BigInt(user);
      return {
        id: Number(id),
        user: user > 0 ? uriOf('user', user) : null,
        mailing: uriOf('mailing', mailing),
        subject,
        created_at,
        resource_uri: `${path}${id}/`,
      };
    };
    const schema = {
      tags: ['Users'],
      summary: 'List: mails sent to a user, or of a mailing',
      querystring: takes(
        'filters',
        {
          type: 'object',
          properties: {
            user: { type: 'string', description: 'URI or id.' },
            mailing: { type: 'string', description: 'URI or id.' },
            _limit: { type: 'integer' },
            _offset: { type: 'integer' },
          },
        },
        (query) => readFilters({ registry, env }, query as QueryParameters),
      ),
      response: { 200: collectionSchema(MAIL), 400: errorsBody('A filter or page that cannot be used.'), ...COMMON },
    };
    app.get(path, { ...requires('user:read', { resource: name }), schema }, async (request) => {
      const { paging, of } = readFilters({ registry, env }, request.query as QueryParameters);
      const { mails, total } = await longReads.inTurn(request, (long) => sentMails(long, of, paging));
      return {
        meta: pageMeta(path, paging, total),
        objects: mails.map(show),
      };
    });
    const detail = {
      tags: ['Users'],
      summary: 'Read: a mail sent to a user',
      params: PARAMETERS,
      response: { 200: MAIL, 404: empty('Absent.'), ...COMMON },
    };
    app.get(`${path}:id/`, { ...requires('user:read', { resource: name }), schema: detail }, async (request) => {
      const { mails } = await sentMails(pool, readId((request.params as { id: string }).id), { limit: 1, offset: 0 });
      if (!mails[0]) throw new NotFoundError();
      return show(mails[0]);
    });
    const document = {
      allowed_detail_http_methods: ['get'],
      allowed_list_http_methods: ['get'],
      default_format: 'application/json',
      default_limit: 20,
      fields: FIELDS,
      filtering: { user: ['exact'], mailing: ['exact'] },
      operators: { user: ['exact'], mailing: ['exact'] },
      ordering: [],
    };
    const about = {
      tags: ['Users'],
      summary: `Fields and filters of ${name}`,
      response: { 200: { type: 'object', additionalProperties: true }, ...COMMON },
    };
    app.get(`${path}schema/`, { ...requires('user:read'), schema: about }, () => document);
  }
}

/** @throws RequestError */
function readFilters(context: ReferenceContext, query: QueryParameters) {
  const paging = readPaging(query);
  const of: OfWhom = {};
  for (const [name, given] of Object.entries(query)) {
    if (['_limit', 'limit', '_offset', 'offset', 'format', '_format', '_'].includes(name)) continue;
    const filter = name.replace(/__exact$/, '');
    if (filter !== 'user' && filter !== 'mailing') throw new RequestError({ [name]: `${name} is not a filter of this collection` });
    try {
      of[filter] = readReference(context, filter, given);
    } catch (error) {
      throw new RequestError({ [name]: `${name} ${(error as Error).message}` });
    }
  }
  return { paging, of };
}
