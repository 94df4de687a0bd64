import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { callerKey } from '../../domain/caller-key.ts';
import { ThrottledError } from '../../domain/errors.ts';
import { CountedMinutes } from './counted-windows.ts';

/** Requests per minute and address over all routes registered after this; 0 is no limit. Health checks are not counted. */
export async function installRateLimit(app: FastifyInstance, perMinute: number): Promise<void> {
  if (perMinute === 0) return;
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    hook: 'onRequest',
    allowList: (request) => request.url.startsWith('/health/'),
    errorResponseBuilder: (_request, { ttl }) => new ThrottledError('rate', 'Too many requests from this address.', Math.ceil(ttl / 1000)),
  });
}

/**
 * Requests without credentials per minute and address to open routes that are counted; 0 is no limit. After authentication: whoever has an account sends for
 * many, and is known.
 */
export function installOpenRateLimit(app: FastifyInstance, perMinute: number): void {
  if (perMinute === 0) return;
  const requests = new CountedMinutes();
  app.addHook('onRequest', (request, _reply, done) => {
    const { open, uncounted } = request.routeOptions.config;
    if (!open || uncounted || request.account) return done();
    const caller = callerKey(request.ip);
    if (requests.add(caller) <= perMinute) return done();
    const seconds = requests.secondsLeft(caller);
    return done(new ThrottledError('rate', 'Too many requests without credentials from this address.', seconds));
  });
}
