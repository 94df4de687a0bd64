import type { FastifyInstance } from 'fastify';

/** An address with the port its caller had, as some proxies pass it on: `203.0.113.9:50123`, `[2001:db8::1]:50123`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/**
 * Takes the ports out of X-Forwarded-For before anybody asks whose request it is: with them each connection of a caller would be another caller to everything that is
 * counted by address, and a proxy that is trusted would not be known by its own.
 */
export function installForwardedFor(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const said = request.raw.headers['x-forwarded-for'];
    if (said !== undefined) request.raw.headers['x-forwarded-for'] = withoutPorts(String(said));
    done();
  });
}

const withoutPorts = (addresses: string): string =>
  addresses
    .split(',')
    .map((each) => each.trim().replace(WITH_PORT, '$1$2'))
    .join(', ');
