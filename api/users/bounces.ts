import type { FastifyInstance } from 'fastify';
import { recordReturnedMail } from '../../core/people/leaving.ts';
import { uriOf } from '../../domain/uris.ts';
import { Bounce } from '../../entities/people/mail.ts';
import { readReturnedMail } from '../../mail/returned-mail.ts';
import type { ApiContext } from '../deps.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { requires } from '../route-options.ts';
import { arriving } from '../validation/takes.ts';

export const bounce = resource({
  name: 'bounce',
  about: 'a report that a mail did not arrive, or was not wanted',
  area: 'Users',
  entity: Bounce,
  inside: ['reportId'],
  fields: { mailing: { to: 'mailing' } },
  filtering: { id: SINCE, user: 'joins', mailing: EXACT, kind: EXACT, code: 'all', created_at: TIMES },
  ordering: ['created_at'],
  methods: ['list', 'get'],
  // POST takes a mail and no fields.
  takes: [],
  permission: 'user',
});

const LONGEST_REPORT = 2 * 1024 * 1024;
const URI = { type: ['string', 'null'], format: 'uri-reference' };
const ANSWER = {
  type: 'object',
  required: ['kind', 'user', 'mailing', 'bounce'],
  properties: {
    kind: {
      type: ['string', 'null'],
      description: 'hard, soft, complaint, unsubscribe; null for a message that is no report about a mail of ours.',
    },
    user: URI,
    mailing: URI,
    bounce: { ...URI, description: 'What was recorded; null when the report is known or the user is gone.' },
  },
};

/**
 * `POST /rest/v1/bounce/`: a delivery status notification, an abuse report or a mail to an unsubscribe address, as a mail server passes it on. What is no such report is
 * no error: whoever pipes a mailbox here must not be told to try again.
 */
export function registerBounces(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  app.register(async (scope) => {
    scope.addContentTypeParser('message/rfc822', { parseAs: 'buffer', bodyLimit: LONGEST_REPORT }, (_request, body, done) =>
      done(null, body),
    );
    const schema = {
      tags: ['Users'],
      summary: 'Report a bounce or a complaint, or hand over a mail that unsubscribes',
      description:
        'The report as it came: a delivery status notification (RFC 3464), an abuse report (RFC 5965), or a mail to the unsubscribe address of a mail of ours.',
      consumes: ['message/rfc822'],
      body: arriving({ type: 'string', format: 'binary' }),
      response: { 200: ANSWER, ...COMMON },
    };
    scope.post('/rest/v1/bounce/', { ...requires('user:write'), bodyLimit: LONGEST_REPORT, schema }, async (request) => {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const report = await readReturnedMail(raw, env.SECRET_KEY);
      if (!report) return { kind: null, user: null, mailing: null, bounce: null };
      const limits = { limit: env.SOFT_BOUNCE_LIMIT, days: env.SOFT_BOUNCE_DAYS };
      const id = await inTransaction(context, (_em, sql) => recordReturnedMail(sql, report, limits));
      return {
        kind: report.kind,
        user: uriOf('user', report.userId),
        mailing: report.mailingId === null ? null : uriOf('mailing', report.mailingId),
        bounce: id === null ? null : uriOf('bounce', id),
      };
    });
  });
}
