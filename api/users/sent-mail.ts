import type { FastifyInstance } from 'fastify';
import { readReference } from '../../core/references.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { RequestError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, errorsBody } from '../resource/answers.ts';
import { type QueryParameters, readPaging } from '../resource/query.ts';
import { pageMeta } from '../resource/read.ts';
import { DESCRIBES_ONLY } from '../resource/routes.ts';
import { collectionSchema } from '../resource/schema.ts';
import { requires } from '../route-options.ts';

/** Both names a user shows them under; the same collection. */
export const SENT_MAIL_NAMES = ['sentmail', 'usermailing'] as const;

const URI = { type: 'string', format: 'uri-reference' };
const MAIL = {
  type: 'object',
  required: ['user', 'mailing', 'subject', 'created_at'],
  properties: { user: URI, mailing: URI, subject: { type: 'string' }, created_at: { type: 'string' } },
};

/**
 * Mails the relay took for a user, or of a mailing, read from the send ledger and its archive. Indexes answer both filters; without one the whole ledger is
 * counted, which takes its time once there are millions.
 */
export function registerSentMail(app: FastifyInstance, { pool, registry, env }: ApiContext): void {
  for (const name of SENT_MAIL_NAMES) {
    const path = `/rest/v1/${name}/`;
    const schema = {
      tags: ['Users'],
      summary: 'List: mails sent to a user, or of a mailing',
      querystring: {
        type: 'object',
        properties: {
          user: { type: 'string', description: 'URI or id.' },
          mailing: { type: 'string', description: 'URI or id.' },
          _limit: { type: 'integer' },
          _offset: { type: 'integer' },
        },
      },
      response: { 200: collectionSchema(MAIL), 400: errorsBody('A filter or page that cannot be used.'), ...COMMON },
    };
    app.get(path, { ...DESCRIBES_ONLY, ...requires('user:read', { resource: name }), schema }, async (request) => {
      const query = request.query as QueryParameters;
      const paging = readPaging(query);
      const conditions = [`l.state = ${LEDGER_STATE.accepted}`];
      const values: number[] = [];
      for (const [filter, given] of Object.entries(query)) {
        if (['_limit', 'limit', '_offset', 'offset', 'format', '_format', '_'].includes(filter)) continue;
        if (filter !== 'user' && filter !== 'mailing') throw new RequestError({ [filter]: `${filter} is not a filter of this collection` });
        try {
          const id = readReference({ registry, env }, filter, given as string);
          conditions.push(`l.${filter}_id = $${values.push(id)}`);
        } catch (error) {
          throw new RequestError({ [filter]: `${filter} ${(error as Error).message}` });
        }
      }
      const where = conditions.join(' and ');
      // Subjects are dealt out by position, as they were when the mail was made.
      const { rows } = await pool.query(
        `select l.user_id, l.mailing_id, ${timestampSql('l.changed_at')} as created_at, coalesce(s.text, '') as subject
           from (select * from send_record l where ${where} order by l.mailing_id, l.position
             limit $${values.length + 1} offset $${values.length + 2}) l
           left join lateral (select array_agg(m.text order by m.position) as texts from core_mailingsubject m
             where m.mailing_id = l.mailing_id) m on true
           left join lateral (select m.texts[1 + l.position % cardinality(m.texts)] as text) s on true
           order by l.mailing_id, l.position`,
        [...values, paging.limit, paging.offset],
      );
      const counted = await pool.query<{ count: string }>(`select count(*) from send_record l where ${where}`, values);
      return {
        meta: pageMeta(path, paging, Number(counted.rows[0]!.count)),
        objects: rows.map((row) => ({
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
    app.get(`${path}schema/`, { ...DESCRIBES_ONLY, ...requires('user:read'), schema: about }, () => document);
  }
}
