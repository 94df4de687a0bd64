import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { leaveAllLists } from '../../core/people/leaving.ts';
import { userOfLoginToken } from '../../core/people/login-tokens.ts';
import { sqlOn } from '../../db/sql.ts';
import { clickProof, isClickProof, readAnyAkid } from '../../domain/akid.ts';
import type { ApiContext } from '../deps.ts';
import { answerTo } from '../errors.ts';
import { inTransaction } from '../in-transaction.ts';
import { TOO_MANY } from '../resource/answers.ts';
import { open } from '../route-options.ts';
import { takes } from '../validation/takes.ts';
import { htmlPage } from './html-page.ts';

/**
 * Where the link and the List-Unsubscribe header of every mail lead. GET only asks: mail scanners follow links. POST unsubscribes, whether from
 * that page or as the one-click request of RFC 8058, whose body (of whatever type) says nothing that the address does not. An akid that only answered
 * somebody (domain/akid.ts) unsubscribes by the button of that page alone, and is no mailing's doing.
 */
export function registerUnsubscribe(app: FastifyInstance, context: ApiContext): void {
  // Whatever is in the address, people are shown a page: of a name given twice the last one counts.
  const word = (description: string) => takes('last word', { type: 'string', description }, text);
  const page = { description: 'A page for people.', content: { 'text/html': { schema: { type: 'string' } } } };
  const schema = (summary: string) => ({
    tags: ['Public'],
    summary,
    querystring: {
      type: 'object',
      properties: {
        akid: word('From the mail.'),
        i: word('A login token, in place of the akid.'),
        click: word('Put there by the page itself.'),
        l: word('1: the user is not asked for a password, which these pages never do.'),
      },
    },
    response: {
      200: page,
      400: page,
      503: { ...page, description: 'A page for people: something is away, and what was asked for may have been done.' },
      ...TOO_MANY,
    },
  });
  const secret = context.env.SECRET_KEY;
  const who = async (request: FastifyRequest): Promise<Unsubscriber | null> => {
    const { akid, i } = request.query as Record<string, unknown>;
    context.guesses.check(request, text(akid));
    const named = readAnyAkid(secret, text(akid));
    if (named) return { ...named, clickNeeded: named.proven ? null : text(akid) };
    if (i === undefined) return null;
    const userId = await userOfLoginToken(sqlOn(context.pool), text(i));
    return userId === null ? null : { userId, mailingId: null, clickNeeded: null };
  };
  const url = '/unsubscribe/';
  const paged = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) =>
    handler(request, reply).catch((error: unknown) => {
      const { status, why, headers = {} } = answerTo(error, undefined, '') ?? {};
      if (status !== 503 || !why) throw error;
      app.unavailable.note(why, error as Error);
      return send(reply.headers(headers), status, 'Please come again', AWAY);
    });

  const ask: Handler = async (request, reply) => {
    const person = await who(request);
    if (!person) return send(reply, 400, 'This link is not valid', 'Nothing was changed. Please use the link from the mail as it is.');
    const akid = person.clickNeeded;
    const action = akid === null ? '' : ` action="?akid=${encodeURIComponent(akid)}&amp;click=${clickProof(secret, akid)}"`;
    const button = `<form method="post"${action}><button type="submit">Unsubscribe</button></form>`;
    return send(reply, 200, 'Unsubscribe?', 'You will get no more mail from our lists.', button);
  };
  const unsubscribe: Handler = async (request, reply) => {
    const person = await who(request);
    const { click } = request.query as Record<string, unknown>;
    const pressed = person?.clickNeeded == null || isClickProof(secret, person.clickNeeded, text(click));
    if (!person || !pressed)
      return send(reply, 400, 'This link is not valid', 'Nothing was changed. Please use the link from the mail as it is.');
    await inTransaction(context, (_em, sql) => leaveAllLists(sql, person.userId, person.mailingId, request.ip));
    return send(reply, 200, 'You are unsubscribed', 'You will get no more mail from our lists.');
  };
  app.get(url, { ...open({ uncounted: true }), schema: schema('Ask whether to unsubscribe') }, paged(ask));
  app.post(url, { ...open({ anyBody: true, uncounted: true }), schema: schema('Unsubscribe from all lists') }, paged(unsubscribe));
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const AWAY =
  'We cannot be sure that it is done: something of ours is away just now. The link stays good; please use it again in a few minutes.';

const text = (given: unknown) => String([given].flat().at(-1) ?? '');

interface Unsubscriber {
  userId: number;
  /** Whose mail led here. */
  mailingId: number | null;
  /** The akid that is good only together with the button of the page; null where what was sent is proof enough. */
  clickNeeded: string | null;
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
