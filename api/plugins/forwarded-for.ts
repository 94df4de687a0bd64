import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** An address with the port its caller had, as some proxies pass it on: `203.0.113.9:50123`, `[2001:db8::1]:50123`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/**
 * Takes the ports out of X-Forwarded-For before anybody asks whose request it is: with them each connection of a caller would be another caller to everything that is
 * counted by address, and a proxy that is trusted would not be known by its own. Nor is anything believed that is no address, and what stands before it: it would be kept as
 * that of whoever acts, and any word would be another caller.
 */
export function installForwardedFor(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const said = request.raw.headers['x-forwarded-for'];
    if (said !== undefined) request.raw.headers['x-forwarded-for'] = addressesIn(String(said));
    done();
  });
}

function addressesIn(said: string): string {
  const each = said.split(',').map((text) => text.trim().replace(WITH_PORT, '$1$2'));
  const named = each.filter((text) => text !== '');
  return named.slice(named.findLastIndex((text) => isIP(text) === 0) + 1).join(', ');
}
