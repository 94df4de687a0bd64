import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OfferedRoutes } from './offered-routes.ts';

const PREFLIGHT_SECONDS = 3600;

/**
 * Lets pages of other sites use the routes that answer without credentials, and answers OPTIONS there. Nothing else is opened: with credentials a
 * browser asks first, and is not told yes.
 * @param setting CORS_ORIGINS
 */
export function installCors(app: FastifyInstance, setting: string, offered: OfferedRoutes): void {
  // As browsers write them: in small letters, without the port that goes without saying.
  const origins = new Set(
    setting
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((each) => URL.parse(each)?.origin ?? each),
  );
  const allow = (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (origins.size === 0) return false;
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (!origin || !(origins.has('*') || origins.has(origin))) return false;
    reply.header('access-control-allow-origin', origin);
    return true;
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { open, session } = request.routeOptions.config ?? {};
    // Also that a method is not offered there: a page would be told of a network that failed.
    const isOpen = request.is404 ? offered.openAt(request).length > 0 : open && !session;
    if (isOpen && allow(request, reply)) reply.header('access-control-expose-headers', 'Location, Retry-After');
    if (request.method !== 'OPTIONS') return done();
    const methods = offered.openAt(request);
    if (methods.length === 0) return done();
    const allowed = [...methods, 'OPTIONS'].join(', ');
    if (allow(request, reply)) {
      reply.headers({
        'access-control-allow-methods': allowed,
        'access-control-allow-headers': 'Content-Type, Idempotency-Key',
        'access-control-max-age': PREFLIGHT_SECONDS,
      });
    }
    reply.code(204).header('allow', allowed).send();
  });
}
