import type { FastifyInstance } from 'fastify';
import { presentUser } from '../../core/people/present-user.ts';
import { mailOnTheWeb } from '../../core/sending/mail-on-the-web.ts';
import { sqlOn } from '../../db/sql.ts';
import { readAkid } from '../../domain/akid.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { ApiContext } from '../deps.ts';
import { empty, TOO_MANY } from '../resource/answers.ts';
import { open } from '../route-options.ts';

/** Mails run no scripts in a mail reader, so they run none here. `ancestors`: whose frames it may stand in. */
export const mailPolicy = (ancestors: "'none'" | "'self'"): string =>
  `default-src 'none'; img-src * data:; style-src 'unsafe-inline' *; font-src *; frame-ancestors ${ancestors}; base-uri 'none'; form-action 'none'`;

/** `GET /view/{akid}`: a mail on the web, for whom it was sent to, made of the content that was frozen when it was. */
export function registerWebView(app: FastifyInstance, { env, pool, guesses }: ApiContext): void {
  const schema = {
    tags: ['Public'],
    summary: 'A mail on the web',
    params: { type: 'object', required: ['akid'], properties: { akid: { type: 'string' } } },
    response: {
      200: { description: 'The mail.', content: { 'text/html': { schema: { type: 'string' } } } },
      404: empty('No mail of a web_viewable mailing that was sent to this person.'),
      ...TOO_MANY,
    },
  };
  app.get('/view/:akid', { ...open(), schema }, async (request, reply) => {
    const { akid } = request.params as { akid: string };
    guesses.check(request, akid);
    const ids = readAkid(env.SECRET_KEY, akid);
    if (!ids?.mailingId) throw new NotFoundError();
    const present = await presentUser(sqlOn(pool), ids.userId);
    const html = present === null ? null : await mailOnTheWeb({ pool, env }, ids.mailingId, present);
    if (html === null) throw new NotFoundError();
    return reply
      .header('cache-control', 'private, no-store')
      .header('referrer-policy', 'no-referrer')
      .header('content-security-policy', mailPolicy("'none'"))
      .type('text/html; charset=utf-8')
      .serializer((body: string) => body)
      .send(html);
  });
}
