import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface DrainLimits {
  /** Bytes read and dropped after the answer: as many as somebody may send whose upload is taken. */
  bytes: number;
  seconds: number;
}

/**
 * Lets callers hear a refusal that comes before the end of their body (401, 413, 429 …). Usual clients send all of it before they listen; were the
 * connection closed on what they still send, TCP would take the answer back from them with a reset. So the rest is read and dropped, and the
 * connection serves on; past the limits it is ended.
 */
export function installDraining(app: FastifyInstance, limits: DrainLimits): void {
  const draining = new Set<Socket>();
  app.addHook('onSend', (request, reply, payload, done) => {
    if (hasMore(request.raw)) {
      // Fastify asks for an end at each body it did not read, which would be that reset.
      reply.removeHeader('connection');
      drain(request.raw, reply.raw, limits, draining);
    }
    done(null, payload);
  });
  app.addHook('preClose', (done) => {
    for (const socket of draining) socket.destroy();
    done();
  });
}

/** A body was announced, and the rest of it may still come: nothing does of callers who hung up, and nothing would end the wait for it. */
const hasMore = ({ complete, headers, socket }: IncomingMessage): boolean =>
  complete === false && !socket.destroyed && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

function drain(raw: IncomingMessage, answer: ServerResponse, { bytes, seconds }: DrainLimits, draining: Set<Socket>): void {
  const { socket } = raw;
  // A caller who wants it closed gets that once all has been read, not at the end of the answer.
  const ends = !answer.shouldKeepAlive;
  answer.shouldKeepAlive = true;
  draining.add(socket);
  let left = bytes;
  const timer = setTimeout(() => socket.destroy(), seconds * 1000);
  const over = () => {
    clearTimeout(timer);
    draining.delete(socket);
    socket.off('close', over);
    if (!ends) return;
    if (answer.writableFinished) socket.end();
    else answer.once('finish', () => socket.end());
  };
  raw.once('end', over);
  raw.once('close', over);
  // Of callers who hang up once they have their answer the request hears nothing.
  socket.once('close', over);
  // Whoever began to read it has given up, and may have left it standing.
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  raw.resume();
}
