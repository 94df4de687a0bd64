import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { processAction } from '../../core/actions/process.ts';
import { redirectAfter } from '../../core/actions/redirect.ts';
import { userOfLoginToken } from '../../core/people/login-tokens.ts';
import { presentUser } from '../../core/people/present-user.ts';
import { type CallerPlace, callerTargets, placeOfUser, placeOfZip } from '../../core/whipcounts/caller-targets.ts';
import { findPublicWhipcount, type PublicWhipcount } from '../../core/whipcounts/public-page.ts';
import { sqlOn } from '../../db/sql.ts';
import { inPreparedTransaction } from '../../db/transaction.ts';
import { akid as akidOf, answerAkid, readAkid } from '../../domain/akid.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { readBody } from '../../domain/values.ts';
import { asLocation } from '../../domain/web-address.ts';
import { readSubmission, senderOf } from '../actions/submission.ts';
import type { ApiContext } from '../deps.ts';
import { empty, errorsBody, TOO_MANY } from '../resource/answers.ts';
import { open } from '../route-options.ts';
import { renderCalls, renderThanks, renderZip } from './page-html.ts';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};
/** Browsers hold a form to it on its whole way: where the page leads on to another site, and by whatever redirects from there, too. */
const policyOf = ({ leads_to: leadsTo }: PublicWhipcount): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; form-action 'self'${leadsAway(leadsTo) ? ' http: https:' : ''}; base-uri 'none'; frame-ancestors 'none'`;
const HTML = { description: 'A page for people.', content: { 'text/html': { schema: { type: 'string' } } } };

/** People are told on the page; a program whose body cannot be read at all is told in JSON. */
const REFUSED = { ...HTML, content: { ...HTML.content, ...errorsBody('').content } };

const WORD = { description: 'Of what is no text nothing is made.' };
const TOKEN = { description: 'A login token, in place of the akid. Of what is no text nothing is made.' };
const ASKED = {
  type: 'object',
  properties: {
    zip: WORD,
    akid: WORD,
    i: TOKEN,
    l: { description: '1: the user is not asked for a password, which these pages never do.' },
    thanks: { description: 'Whether they are thanked.' },
  },
};
/** What is wrong in it people are told on the page: the route reads it. */
const REPORTED = {
  type: 'object',
  properties: { akid: WORD, i: TOKEN, zip: WORD, email: WORD },
  additionalProperties: { description: '`response-<target>`: what was said there; fields of the person, as in actions.' },
};

/** `/whipcount/<page name>/`: the page people see. Zip (or akid, or login token), whom to call and what to say, what they said, thanks. No script is needed. */
export function registerWhipcountPages(app: FastifyInstance, context: ApiContext): void {
  const url = '/whipcount/:name/';
  const sql = sqlOn(context.pool);
  const about = (summary: string) => ({
    tags: ['Public'],
    summary,
    params: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    response: { 200: HTML, 400: REFUSED, 404: empty('No such page.'), ...TOO_MANY },
  });

  const show = async (request: FastifyRequest, reply: FastifyReply, given: Record<string, unknown>, errors: string[] = []) => {
    const page = await findPage(context, request);
    const elsewhere = page.client_hosted ? leadsAway(page.client_url) : undefined;
    if (elsewhere) return reply.redirect(elsewhere);
    const send = (html: string) =>
      reply
        .code(errors.length > 0 ? 400 : 200)
        .headers({ ...HEADERS, 'content-security-policy': policyOf(page) })
        .serializer((text: string) => text)
        .send(html);
    if (given['thanks'] !== undefined) return send(renderThanks(page));
    const filled = (name: string) => wordIn(given, name);
    context.guesses.check(request, filled('akid'));
    // Whom somebody is to call tells where they live: an akid that only answers is not enough.
    const named = readAkid(context.env.SECRET_KEY, filled('akid'));
    const token = named ? '' : filled('i');
    const userId = named?.userId ?? (await userOfLoginToken(sql, token));
    const caller = userId === null ? null : await presentUser(sql, userId);
    const zip = filled('zip').trim();
    if (!caller && !zip) return send(renderZip(page, errors));
    const place: CallerPlace = zip ? await placeOfZip(sql, zip.replaceAll('\0', '')) : await placeOfUser(sql, caller!);
    const targets = await callerTargets(sql, page.id, place);
    if (targets.length === 0) return send(renderZip(page, zip ? [`We found nobody to call for ${zip}. Is it your zip code?`] : errors));
    const known = caller ? { akid: named ? filled('akid') : '', i: token } : { akid: '', i: '' };
    return send(renderCalls(page, targets, { zip, ...known, given: filled }, errors));
  };

  app.get(url, { ...open(), schema: { ...about('A whip count, for people'), querystring: ASKED } }, (request, reply) =>
    show(request, reply, request.query as Record<string, unknown>),
  );

  app.post(
    url,
    { ...open({ forms: true, byCaller: true }), attachValidation: true, schema: { ...about('Report calls'), body: REPORTED } },
    async (request, reply) => {
      const page = await findPage(context, request);
      if (request.validationError) throw request.validationError;
      const given = readBody(request.body);
      try {
        if (!Object.entries(given).some(([name, value]) => /^response-\d+$/.test(name) && value)) {
          throw new InputError({ response: 'Please tell us what they said.' });
        }
        const loggedIn = given['akid'] || given['email'] ? null : await userOfLoginToken(sql, wordIn(given, 'i'));
        // Who has a login token is not told the akid it stands for here.
        const ofToken = loggedIn === null ? {} : { akid: akidOf(context.env.SECRET_KEY, null, loggedIn) };
        const submission = readSubmission({ source: 'website', ...given, ...ofToken, page: page.name });
        for (const text of [submission.akid, submission.referringAkid]) context.guesses.check(request, text);
        const done = await inPreparedTransaction(context.pool, (inside) =>
          processAction(inside, submission, context.env, senderOf(request)),
        );
        const akid = answerAkid(context.env.SECRET_KEY, done.mailingId, done.userId, loggedIn === null ? submission.akid : null);
        const next = done.page.leadsTo && leadsAway(redirectAfter(context.env.BASE_URL, done, akid));
        return reply.redirect(next || `/whipcount/${encodeURIComponent(page.name)}/?thanks=1`, 303);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return show(request, reply, given, Object.values(error.fields).flat());
      }
    },
  );
}

const wordIn = (given: Record<string, unknown>, name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value.slice(0, 300) : '';
};

/** An address of the web as it stands in Location; nothing for any other. */
const leadsAway = (address: string) => (/^https?:\/\//i.test(address) ? asLocation(address) : undefined);

/** @throws NotFoundError for a page that is hidden, inactive or none of a whip count */
async function findPage({ pool }: ApiContext, request: FastifyRequest): Promise<PublicWhipcount> {
  const { name = '' } = request.params as { name?: string };
  const page = await findPublicWhipcount(sqlOn(pool), name);
  if (!page) throw new NotFoundError();
  return page;
}
