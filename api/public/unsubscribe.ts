import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readAkid } from '../../domain/akid.ts';
import { leaveAllLists } from '../../entities/people/leaving.ts';
import { userOfLoginToken } from '../../entities/people/login-tokens.ts';
import { sqlOn } from '../../entities/sql.ts';
import type { ApiContext } from '../deps.ts';
import { DESCRIBES_ONLY } from '../resource/routes.ts';
import { inTransaction } from '../resource/write.ts';
import { open } from '../route-options.ts';
import { htmlPage } from './html-page.ts';

/**
 * Where the link and the List-Unsubscribe header of every mail lead. GET only asks: mail scanners follow links. POST unsubscribes, whether from
 * that page or as the one-click request of RFC 8058, whose body (of whatever type) says nothing that the address does not.
 */
export function registerUnsubscribe(app: FastifyInstance, context: ApiContext): void {
  const page = { description: 'A page for people.', content: { 'text/html': { schema: { type: 'string' } } } };
  const schema = (summary: string) => ({
    tags: ['Public'],
    summary,
    querystring: {
      type: 'object',
      properties: {
        akid: { type: 'string', description: 'From the mail.' },
        i: { type: 'string', description: 'A login token, in place of the akid.' },
        l: { type: 'string', description: '1: the user is not asked for a password, which these pages never do.' },
      },
    },
    response: { 200: page, 400: page },
  });
  const who = async (request: FastifyRequest): Promise<{ userId: number; mailingId: number | null } | null> => {
    const { akid, i } = request.query as Record<string, unknown>;
    const text = (given: unknown) => String([given].flat().at(-1) ?? '');
    const named = readAkid(context.env.SECRET_KEY, text(akid));
    if (named || i === undefined) return named;
    const userId = await userOfLoginToken(sqlOn(context.pool), text(i));
    return userId === null ? null : { userId, mailingId: null };
  };
  const url = '/unsubscribe/';

  app.get(url, { ...DESCRIBES_ONLY, ...open(), schema: schema('Ask whether to unsubscribe') }, async (request, reply) => {
    if (!(await who(request)))
      return send(reply, 400, 'This link is not valid', 'Nothing was changed. Please use the link from the mail as it is.');
    const button = '<form method="post"><button type="submit">Unsubscribe</button></form>';
    return send(reply, 200, 'Unsubscribe?', 'You will get no more mail from our lists.', button);
  });

  app.post(url, { ...DESCRIBES_ONLY, ...open({ anyBody: true }), schema: schema('Unsubscribe from all lists') }, async (request, reply) => {
    const person = await who(request);
    if (!person) return send(reply, 400, 'This link is not valid', 'Nothing was changed. Please use the link from the mail as it is.');
    await inTransaction(context, (_em, sql) => leaveAllLists(sql, person.userId, person.mailingId, request.ip));
    return send(reply, 200, 'You are unsubscribed', 'You will get no more mail from our lists.');
  });
}

function send(reply: FastifyReply, status: number, title: string, text: string, more = ''): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    })
    .serializer((html: string) => html)
    .send(htmlPage(title, text, more));
}
