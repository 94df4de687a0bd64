import { isUtf8 } from 'node:buffer';
import basicAuth from '@fastify/basic-auth';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import type { Account } from '../../core/accounts/account.ts';
import type { Credentials } from '../../core/accounts/credentials.ts';
import type { Sql } from '../../db/sql.ts';
import { callerKey } from '../../domain/caller-key.ts';
import { CredentialsError, PermissionError } from '../../domain/errors.ts';
import { inTime } from '../../domain/in-time.ts';
import { accountOfSession } from '../accounts/session.ts';
import { isDatabaseAway } from '../errors.ts';
import { can } from '../route-options.ts';
import { isUnasked } from './unasked.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Looks anew who calls, for routes that read a body by themselves: once it is there, and nothing is left to wait for.
     * @throws as before the body: CredentialsError, PermissionError
     */
    admitAgain(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}

/** How long a database may be silent before an account is taken as it was read last, where it may be: who asks waits ten seconds for all of an answer. */
const PATIENCE_MS = 3_000;

/** Asks for credentials on every route that is not declared open, and for the grant the route names. */
export async function installAuth(app: FastifyInstance, credentials: Credentials, sql: Sql): Promise<void> {
  app.decorateRequest('account', null);
  const routes: RouteOptions[] = [];
  // After all hooks on the request, so that a refusal is a page like any other, and before a body is read.
  const refusalOfSession = async (request: FastifyRequest) => {
    request.account = await accountOfSession(sql, request.headers.cookie);
    return refusal(request);
  };
  const bySession = async (request: FastifyRequest) => {
    const refused = await refusalOfSession(request);
    if (refused && !(refused instanceof PermissionError && isWrittenForm(request))) throw refused;
  };
  app.addHook('onRoute', (route) => {
    routes.push(route);
    if (route.config?.session) route.preParsing = [bySession];
  });
  app.addHook('onReady', async () => {
    const forgotten = routes.find(({ config }) => !config?.open && !config?.permission);
    // A route that does not say who may call it must not come up at all.
    if (forgotten) throw new Error(`The route ${forgotten.url} says neither open() nor requires(…)`);
  });
  await app.register(basicAuth, {
    strictCredentials: false,
    authenticate: false,
    validate: async (username, password, request) => {
      const authorization = request.headers.authorization!;
      const sent = inLatin(authorization) ?? { username, password };
      const asked = credentials.accountOf(authorization, { ...sent, address: callerKey(request.ip) });
      const known = request.routeOptions.config.whileAway ? credentials.lastKnown(authorization) : null;
      request.account = await (known ? inTime(asked, PATIENCE_MS, known).catch((error) => orKnown(error, known)) : asked);
    },
  });
  // With a callback, and without a promise where the credential is remembered: this runs before every request.
  const byCredentials: onRequestHookHandler = (request, reply, done) => {
    const { session, open, byCaller, alike } = request.routeOptions.config;
    // What anybody may send is a stranger's, too, where their page has the browser of somebody else send it.
    if (session || alike || (byCaller && isUnasked(request))) return done();
    const { authorization } = request.headers;
    request.account = authorization ? credentials.remembered(authorization) : null;
    if (!authorization || request.account) return done(refusal(request));
    const ask = app.basicAuth as (request: FastifyRequest, reply: FastifyReply, done: (error?: FastifyError) => void) => void;
    // Whoever needs none is not turned away for those they send: a browser keeps sending what was once typed in.
    if (open && !byCaller) return ask(request, reply, () => done());
    ask(request, reply, (error) => done(error ? unwrapped(error) : refusal(request)));
  };
  app.addHook('onRequest', byCredentials);
  const again: onRequestHookHandler = (request, reply, done) => {
    if (!request.routeOptions.config.session) return byCredentials.call(app, request, reply, done);
    refusalOfSession(request).then(done, done);
  };
  // A body may take many minutes: whoever was let in at its beginning may do no more than they may at its end.
  app.addHook('preValidation', (request, reply, done) => {
    if (request.account && announcesBody(request)) again.call(app, request, reply, done);
    else done();
  });
  app.decorate(
    'admitAgain',
    (request, reply) =>
      new Promise<void>((resolve, reject) => again.call(app, request, reply, (error) => (error ? reject(error) : resolve()))),
  );
}

const announcesBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whoever wrote it while they lost a grant gets it back with the refusal, which so comes once it is read. */
const isWrittenForm = (request: FastifyRequest): boolean =>
  request.routeOptions.config.forms === true &&
  announcesBody(request) &&
  (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');

/**
 * Clients in Python send credentials in Latin-1 where they hold no other letters: taken for UTF-8, a password with an accent is never right.
 * @returns null for UTF-8, which the plugin has read
 */
function inLatin(authorization: string): { username: string; password: string } | null {
  const bytes = Buffer.from(authorization.trim().split(/\s+/)[1] ?? '', 'base64');
  if (isUtf8(bytes)) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** @throws what says anything of the credentials */
function orKnown(error: unknown, known: Account): Account {
  if (isDatabaseAway(error)) return known;
  throw error;
}

/** The plugin makes a 401 of whatever comes: what is not about credentials, a database that is away, is answered as what it is. */
function unwrapped(error: FastifyError): Error {
  if (error.code?.startsWith('FST_BASIC_AUTH')) return new CredentialsError();
  delete error.statusCode;
  return error;
}

/** Why the caller may not pass, or nothing. */
function refusal(request: FastifyRequest): Error | undefined {
  const { open, permission, beside } = request.routeOptions.config;
  if (open) return undefined;
  if (!request.account) return new CredentialsError();
  const missing = [permission!, beside].find((grant) => grant !== undefined && !can(request, grant));
  return missing === undefined ? undefined : new PermissionError(missing);
}
