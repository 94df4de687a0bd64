import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiContext } from '../api/deps.ts';
import { answerTo } from '../api/errors.ts';
import { writtenPath } from '../api/plugins/asked-path.ts';
import type { Env } from '../config/env.ts';
import { ConflictError, CredentialsError, InputError, StaleVersionError } from '../domain/errors.ts';
import { html } from './html.ts';
import { sendPage } from './layout.ts';
import { messagesIn } from './plain-words.ts';
import { writtenPart } from './written-part.ts';

const TITLES: Record<number, string> = {
  403: 'Not allowed',
  404: 'Not found',
  409: 'Changed in between',
  429: 'Too many tries',
  500: 'Something went wrong',
  503: 'Not available just now',
};

const TEXTS: Record<number, string> = {
  404: 'There is no such page, or what it was about has been deleted.',
  500: 'An internal error. It has been logged.',
};

/** Errors as pages: the statuses are those of the API, the texts are for people. Who is not logged in is led to the login. */
export function answerErrorsWithPages(app: FastifyInstance, { env }: ApiContext): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof CredentialsError) {
      if (askedByScript(request)) return reply.code(401).send({ problems: ['Nobody is logged in.'] });
      if (request.method === 'GET') return reply.redirect(`/console/login?next=${encodeURIComponent(request.url)}`, 303);
      // Who pressed a button, to stop a mailing say, would take it for done once they are in again.
      return reply.redirect(`/console/login?undone=1&next=${encodeURIComponent(pageOfForm(app, request))}`, 303);
    }
    const { status, headers, messages } = told(app, request, error, env);
    reply.code(status).headers(headers);
    // A script of ours asked, which says it at its place.
    if (request.headers.accept === 'application/json') return reply.send({ problems: messages });
    return sendPage(request, reply, env, {
      title: TITLES[status] ?? 'That cannot be done',
      content: html`<div class="narrow">
<h1>${TITLES[status] ?? 'That cannot be done'}</h1>
<div class="note bad" role="alert">${messages.map((message) => html`<p>${message}</p>`)}</div>
<p><a href="${placeOf(request)}">Back</a></p>${writtenPart(request)}
</div>`,
    });
  });
}

/** The status of an error and what people are told of it; what operators have to know is noted. */
export function told(app: FastifyInstance, request: FastifyRequest, error: unknown, env: Env) {
  const forged = String((error as { code?: string }).code).startsWith('FST_CSRF');
  const answer = forged ? null : answerTo(error, undefined, env.BASE_URL);
  if (!answer && !forged) request.log.error({ err: error }, 'a page of the console failed in a way nobody foresaw');
  if (answer?.why) app.unavailable.note(answer.why, error as Error);
  const { status, headers = {} } = { headers: {}, ...(answer ?? { status: forged ? 403 : 500 }) };
  const messages = forged
    ? ['This form is too old, or was not made here. Go back, reload the page and try again.']
    : answer?.why
      ? [answer.why]
      : messagesOf(error, status);
  return { status, headers, messages };
}

function messagesOf(error: unknown, status: number): string[] {
  if (error instanceof InputError) return messagesIn(error);
  const fixed = TEXTS[status];
  if (fixed) return [fixed];
  if (status === 403) {
    const { message } = error as Error;
    // The name of a grant, or a sentence.
    return [/^[\w:*]+$/.test(message) ? `Your account may not do this; it needs the grant ${message}.` : message];
  }
  if (error instanceof StaleVersionError) return ['Somebody else has changed the audience since you opened it: look at it again.'];
  if (error instanceof ConflictError) return ['That is taken already.'];
  return [(error as Error).message];
}

/** Over plain HTTP a browser says nothing of what it asks for: then by what it takes. */
function askedByScript({ headers }: FastifyRequest): boolean {
  const { accept = 'text/html', 'sec-fetch-dest': destination } = headers;
  return destination === 'empty' || !accept.includes('text/html');
}

/** The page on which a form stands: that of its own address, or the one above. */
function pageOfForm(app: FastifyInstance, request: FastifyRequest): string {
  const path = writtenPath(request);
  // The router knows paths without the slash at their end.
  const isPage = app.hasRoute({ url: (request.routeOptions.url ?? path).replace(/\/$/, ''), method: 'GET' });
  return isPage ? path : path.slice(0, path.lastIndexOf('/', path.length - 2) + 1);
}

/** The page of what the address is about, else the list. */
const placeOf = (request: FastifyRequest): string =>
  /^\/console\/(imports(\/(draft\/)?\d+)?|(mailings|people|lists|accounts|webhooks|whipcounts)(\/\d+)?|reports)\/(?=.)/.exec(
    request.url,
  )?.[0] ?? '/console/';
