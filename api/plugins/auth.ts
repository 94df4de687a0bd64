import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { PermissionError } from '../../domain/errors.ts';
import type { Account } from '../accounts/account.ts';
import type { Credentials } from '../accounts/credentials.ts';
import { CredentialsError } from '../errors.ts';
import { can } from '../route-options.ts';

/** Asks for credentials on every route that is not declared open, and for the grant the route names. */
export function installAuth(app: FastifyInstance, credentials: Credentials): void {
  app.decorateRequest('account', null);
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onReady', async () => {
    const forgotten = routes.find(({ config }) => !config?.open && !config?.permission);
    // A route that does not say who may call it must not come up at all.
    if (forgotten) throw new Error(`The route ${forgotten.url} says neither open() nor requires(…)`);
  });
  // With a callback, and without a promise where the credential is remembered: this runs before every request.
  app.addHook('onRequest', (request, _reply, done) => {
    const { authorization } = request.headers;
    const remembered = authorization ? credentials.remembered(authorization) : null;
    if (!authorization || remembered) return done(admit(request, remembered));
    credentials.accountOf(authorization, request.ip).then((account) => done(admit(request, account)), done);
  });
}

/** Lets the caller through, or says why not. */
function admit(request: FastifyRequest, account: Account | null): Error | undefined {
  const { open, permission } = request.routeOptions.config;
  request.account = account;
  if (open) return undefined;
  if (!account) return new CredentialsError();
  return can(request, permission!) ? undefined : new PermissionError(permission);
}
