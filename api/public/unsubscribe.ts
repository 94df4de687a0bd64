import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readAkid } from '../../domain/akid.ts';
import { userOfLoginToken } from '../../entities/people/login-tokens.ts';
import { unsubscribe } from '../../entities/people/subscribing.ts';
import { type Sql, sqlOn } from '../../entities/sql.ts';
import type { ApiContext } from '../deps.ts';
import { DESCRIBES_ONLY } from '../resource/routes.ts';
import { inTransaction } from '../resource/write.ts';
import { open } from '../route-options.ts';
import { htmlPage } from './html-page.ts';

/** The page its actions stand on, made when the first one comes: so that a mailing's results can count who left by it. */
const PAGE = 'unsubscribe-from-mail';

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
    await inTransaction(context, (_em, sql) => leave(sql, person.userId, person.mailingId, request.ip));
    return send(reply, 200, 'You are unsubscribed', 'You will get no more mail from our lists.');
  });
}

/** Who is on no list any more leaves no second trace: the button pressed twice, a client that tries again. */
async function leave(sql: Sql, userId: number, mailingId: number | null, ipAddress: string): Promise<void> {
  const held = await sql(
    'select id from core_user where id = $1 and exists (select from core_subscription where user_id = $1) for no key update',
    [userId],
  );
  if (held.length === 0) return;
  await sql(`insert into core_page (name, title, type) values ($1, 'Unsubscribe from mail', 'unsubscribe') on conflict (name) do nothing`, [
    PAGE,
  ]);
  const [action] = await sql<{ id: number }>(
    `insert into core_action (user_id, page_id, mailing_id, source, ip_address)
     select $1, p.id, (select m.id from core_mailing m where m.id = $2), 'mail', $3 from core_page p where p.name = $4 returning id`,
    [userId, mailingId, ipAddress, PAGE],
  );
  await unsubscribe(sql, { userIds: [userId], change: 'unsubscribe_email', actionId: action!.id });
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
