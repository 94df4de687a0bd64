import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logIn, logOut, page } from '../api/accounts/session.ts';
import type { ApiContext } from '../api/deps.ts';
import { sqlOn } from '../db/sql.ts';
import { callerKey } from '../domain/caller-key.ts';
import { CredentialsError, ThrottledError } from '../domain/errors.ts';
import { type Html, html } from './html.ts';
import { csrfField, FORM_COOKIE, formToken, sendPage } from './layout.ts';
import { counted } from './numbers.ts';

/** Pages of the console, and nothing that a browser would take for another host, or climb out of the console by. */
const OWN_PAGE = /^\/console\/(?!\/|[^?]*(?:\.|%2e){2})[\w/?=&%+*.-]*$/i;

const placeAfter = (next: string): string => (OWN_PAGE.test(next) ? next : '/console/');

const UNDONE = 'You were logged out. What you sent last was not done, and nothing of it was saved: log in, look, and do it again.';

const TOO_OLD = 'This page was not the last one to ask for your login. Log in once more, here.';

/** Of an https address cookies are kept over https alone, and of none by a browser that is told to keep none: whoever logs in once more comes back here. */
const noCookie = (baseUrl: string): string =>
  `Your browser sent no cookie of this page, and nobody can be logged in without one. It has to keep cookies${
    baseUrl.startsWith('https:') ? `, and the address has to begin with https: ${baseUrl}/console/` : ''
  }.`;

/** Logging in with the accounts of the API, and out. */
export function registerLogin(app: FastifyInstance, context: ApiContext): void {
  const { env, credentials, pool } = context;
  const { INBOX_URL: inbox } = env;
  const sql = sqlOn(pool);

  app.get('/console/login', page(null), (request, reply) => {
    const { next, undone } = request.query as { next?: unknown; undone?: unknown };
    // Logged in in another tab meanwhile.
    if (request.account) return reply.redirect(placeAfter(text(next)), 303);
    const content = form(request, reply, { next: text(next), username: '', inbox, ...(undone !== undefined && { problem: UNDONE }) });
    return sendPage(request, reply, env, { title: 'Log in', content });
  });

  app.post('/console/login', { config: { ...page(null).config, ownForm: true } }, async (request, reply) => {
    const body = (request.body ?? {}) as Record<string, unknown>;
    const { username, password, next } = {
      username: text(body['username']).trim(),
      password: text(body['password']),
      next: text(body['next']),
    };
    const again = (status: number, problem: string) =>
      sendPage(request, reply.code(status), env, { title: 'Log in', content: form(request, reply, { next, username, problem, inbox }) });
    const hasCookie = FORM_COOKIE in request.cookies;
    try {
      await app.consoleFormIsOurs(request, reply);
    } catch (error) {
      // The login of one tab ends that of another. Nobody is logged in by it who is not yet.
      if (!request.account) return again(403, hasCookie ? TOO_OLD : noCookie(env.BASE_URL));
      if (request.account.username !== username) throw error;
      return reply.redirect(placeAfter(next), 303);
    }
    const key = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    try {
      const account = await credentials.accountOf(key, { username, password, address: callerKey(request.ip) });
      const hours = env.CONSOLE_SESSION_HOURS;
      if (await logIn(sql, request, reply, { account, baseUrl: env.BASE_URL, hours })) {
        return reply.redirect(placeAfter(next), 303);
      }
      return again(403, 'This account is for programs. The console is for staff: an administrator can make the account one of staff.');
    } catch (error) {
      if (error instanceof ThrottledError) {
        reply.header('retry-after', String(error.seconds));
        return again(429, `Too many failed logins. Try again in ${counted(error.seconds, 'second', 'seconds')}.`);
      }
      if (error instanceof CredentialsError) return again(401, 'User name or password is wrong.');
      throw error;
    }
  });

  app.post('/console/logout', { config: { ...page(null).config, ownForm: true } }, async (request, reply) => {
    try {
      await app.consoleFormIsOurs(request, reply);
    } catch (error) {
      if (request.account) throw error;
      // Pressed twice, or in another tab: there is nobody to be logged out. Nor is anybody by another site, whose forms come without the cookie.
      return reply.redirect('/console/login', 303);
    }
    await logOut(sql, request, reply, env.BASE_URL);
    return reply.redirect('/console/login', 303);
  });
}

/** NUL cannot be in a user name, and reaches no statement. */
const text = (value: unknown): string => (typeof value === 'string' && value.length <= 2048 ? value.replaceAll('\0', '') : '');

function form(
  request: FastifyRequest,
  reply: FastifyReply,
  { next, username, problem, inbox }: { next: string; username: string; problem?: string; inbox: string | undefined },
): Html {
  const focusPassword = problem !== undefined && username !== '';
  return html`<div class="login">
<p class="brand">Campaign <span>console</span></p>
<h1>Log in</h1>
${problem ? html`<div class="note bad" role="alert"><p>${problem}</p></div>` : ''}
<form method="post" action="/console/login" class="stack">
${csrfField(formToken(request, reply))}<input type="hidden" name="next" value="${next}">
<label for="username">User name</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${focusPassword ? '' : html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${focusPassword ? html` autofocus` : ''}>
<button class="main">Log in</button>
</form>
<p class="for-programs">For programs: <a href="/docs/">API reference</a>, <a href="/rest/v1/openapi.json">OpenAPI document</a>.</p>
${inbox ? html`<p class="for-programs">To try it out: <a href="${inbox}">the inbox</a> has all mail that was sent.</p>` : ''}
</div>`;
}
