import type { FastifyInstance } from 'fastify';
import { type ReferenceContext, readReference } from '../../core/references.ts';
import { type OfWhom, sentMails } from '../../core/sending/sent-mails.ts';
import { RequestError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, errorsBody } from '../resource/answers.ts';
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
  required: ['user', 'mailing', 'subject', 'created_at'],
  properties: { user: URI, mailing: URI, subject: { type: 'string' }, created_at: { type: 'string' } },
};

/** Mails the relay took for a user, or of a mailing. */
export function registerSentMail(app: FastifyInstance, { pool, registry, env }: ApiContext): void {
  for (const name of SENT_MAIL_NAMES) {
    const path = `/rest/v1/${name}/`;
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
      const { mails, total } = await sentMails(pool, of, paging);
      return {
        meta: pageMeta(path, paging, total),
        objects: mails.map((row) => ({
          user: uriOf('user', row.user_id),
          mailing: uriOf('mailing', row.mailing_id),
          subject: row.subject,
          created_at: row.created_at,
        })),
      };
    });
    const document = {
      allowed_detail_http_methods: [],
      allowed_list_http_methods: ['get'],
      default_format: 'application/json',
      default_limit: 20,
      fields: Object.fromEntries(
        Object.entries(MAIL.properties).map(([field]) => [
          field,
          { type: field === 'user' || field === 'mailing' ? 'related' : 'string', readonly: true },
        ]),
      ),
      filtering: { user: ['exact'], mailing: ['exact'] },
      operators: { user: [], mailing: [] },
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
  for (const [filter, given] of Object.entries(query)) {
    if (['_limit', 'limit', '_offset', 'offset', 'format', '_format', '_'].includes(filter)) continue;
    if (filter !== 'user' && filter !== 'mailing') throw new RequestError({ [filter]: `${filter} is not a filter of this collection` });
    try {
      of[filter] = readReference(context, filter, given);
    } catch (error) {
      throw new RequestError({ [filter]: `${filter} ${(error as Error).message}` });
    }
  }
  return { paging, of };
}
