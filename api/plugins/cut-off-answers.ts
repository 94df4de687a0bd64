import { finished, Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Has callers in HTTP/1.0, in which nginx asks unless it is told otherwise, see that an answer broke off. There the end of the connection is that of the
 * answer: of a report that failed late, the rows that had come would be taken for all of them. A reset is no end.
 */
export function installCutOffAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { httpVersion, socket } = request.raw;
    if (httpVersion === '1.0' && payload instanceof Readable) {
      finished(payload, { writable: false }, (error) => {
        if (error && reply.raw.headersSent && !socket.destroyed) socket.resetAndDestroy();
      });
    }
    done(null, payload);
  });
}
