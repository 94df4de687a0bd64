import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { RequestError } from '../../domain/errors.ts';

const HEADER = 'x-http-method-override';
const METHODS = ['PUT', 'PATCH', 'DELETE'];

/**
 * For Fastify's `rewriteUrl`, the one place before a route is looked for: a POST with X-HTTP-Method-Override is the method named there from here on,
 * for its route and the grants that one needs.
 */
export function overrideMethod(raw: IncomingMessage): string {
  const wanted = String(raw.headers[HEADER] ?? '').toUpperCase();
  if (raw.method === 'POST' && METHODS.includes(wanted)) raw.method = wanted;
  return raw.url ?? '/';
}

/** A POST that asks to be something else is not taken for a POST: it would create what was to be read or changed. */
export function refuseOtherOverrides(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const wanted = request.headers[HEADER];
    if (request.method !== 'POST' || wanted === undefined || /^post$/i.test(String(wanted))) return done();
    done(new RequestError({ [HEADER]: `X-HTTP-Method-Override must be one of ${METHODS.join(', ')}.` }));
  });
}
