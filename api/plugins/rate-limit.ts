import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { ThrottledError } from '../../domain/errors.ts';

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
