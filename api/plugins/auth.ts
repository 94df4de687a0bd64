import type { FastifyInstance, RouteOptions } from 'fastify';
import { PermissionError } from '../../domain/errors.ts';
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
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions;
    const { authorization } = request.headers;
    if (authorization) request.account = await credentials.accountOf(authorization, request.ip);
    if (config.open) return;
    if (!request.account) throw new CredentialsError();
    if (!can(request, config.permission!)) throw new PermissionError(config.permission!);
  });
}
