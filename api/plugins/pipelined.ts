import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that are under way. Hardly a client sends the next one before it has the answer, and those that do a few. */
const MOST_UNDER_WAY = 500;

/**
 * Ends a connection over which many more requests come than are answered. Node.js takes all there are, however many: two megabytes sent at once were twenty
 * thousand that waited for the database, each held until its turn, and others' behind them.
 */
export function installPipelining(app: FastifyInstance): void {
  const underWay = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const many = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, many);
    reply.raw.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 0) - 1));
    if (many > MOST_UNDER_WAY) socket.destroy();
    // What was read with it still comes here, and goes no further.
    if (!socket.destroyed) done();
  });
}
