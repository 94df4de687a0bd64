import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that have come and are not answered. Hardly a client sends the next one before it has the answer, and those that do a few. */
const MOST_UNDER_WAY = 500;
/** Of these, so many are worked on at a time: they are answered in their order in any case. */
export const AT_A_TIME = 10;

interface Line {
  underWay: number;
  worked: number;
  waiting: (() => void)[];
}

/**
 * Has the requests of a connection wait for each other, and ends one over which many more come than are answered. Node.js takes all there are, however many: two
 * megabytes sent at once were twenty thousand that waited for the database, each held until its turn, and others' behind them; and what all of them had
 * waited for had them go on together, in one turn of seconds.
 */
export function installPipelining(app: FastifyInstance): void {
  const lines = new WeakMap<Socket, Line>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const line = lines.get(socket) ?? { underWay: 0, worked: 0, waiting: [] };
    lines.set(socket, line);
    line.underWay++;
    if (line.underWay > MOST_UNDER_WAY) socket.destroy();
    // What was read with it still comes here, and goes no further.
    if (socket.destroyed) return;
    const begin = () => {
      line.worked++;
      reply.raw.once('close', () => {
        line.underWay--;
        line.worked--;
        // In a turn of its own: answers that take no time would follow each other without anybody else in between.
        if (!socket.destroyed) setImmediate(() => line.worked < AT_A_TIME && line.waiting.shift()?.());
      });
      if (!socket.destroyed) done();
    };
    // None before one that came earlier, whose answer it would wait for while it takes its place.
    if (line.worked < AT_A_TIME && line.waiting.length === 0) begin();
    else line.waiting.push(begin);
  });
}
