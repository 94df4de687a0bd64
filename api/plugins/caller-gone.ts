import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const answers = new WeakMap<FastifyRequest, ServerResponse>();
const signals = new WeakMap<FastifyRequest, AbortSignal>();

/** Lets `callerGone` know where the answer to each request goes. */
export function installCallerGone(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    answers.set(request, reply.raw);
    done();
  });
}

/**
 * A signal that is given when nobody waits for the answer any more. Fastify's own (`request.signal`) goes by the request: of a POST, whose body has been read, it
 * is given at once or never.
 */
export function callerGone(request: FastifyRequest): AbortSignal {
  const known = signals.get(request);
  if (known) return known;
  const gone = new AbortController();
  const hungUp = () => gone.abort();
  const answer = answers.get(request)!;
  if (answer.closed) hungUp();
  else answer.once('close', hungUp);
  signals.set(request, gone.signal);
  return gone.signal;
}
