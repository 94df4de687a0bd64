import type { FastifyInstance, FastifyReply } from 'fastify';
import { isOfApi } from './asked-path.ts';

/** Answers that have no body by the specification. */
export const BODILESS: readonly number[] = [401, 404, 405];

const WORDS: Record<number, (reply: FastifyReply) => Record<string, string[]>> = {
  401: () => ({ authentication: ['Send user name and password of an active account (HTTP Basic).'] }),
  404: () => ({ path: ['There is nothing at this address.'] }),
  405: (reply) => ({ method: [`Offered here: ${reply.getHeader('allow')}.`] }),
};

/** With API_ERROR_BODIES=full every error of the API says in JSON what is wrong. Called before any route is registered. */
export function installErrorBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const words = WORDS[reply.statusCode];
    if (!words || !isOfApi(request) || (payload !== undefined && payload !== null && payload !== '')) return done(null, payload);
    reply.header('content-type', 'application/json; charset=utf-8').removeHeader('content-length');
    done(null, JSON.stringify({ errors: words(reply) }));
  });
}
