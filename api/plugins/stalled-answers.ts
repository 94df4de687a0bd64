import type { FastifyInstance } from 'fastify';

/** Answers up to here lie in the kernel's buffers at once. */
const SMALL = 64 * 1024;

/**
 * Ends connections whose callers have stopped taking a long answer: a report under way holds a connection of the database and one of the slots for
 * reports, a download an open file. Somebody slow who goes on taking is waited for.
 */
export function installStalledAnswers(app: FastifyInstance, seconds: number): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const { raw } = reply;
    if (isLong(payload)) {
      // It comes when nothing moved for so long; with nothing to take, it is not the caller who is late.
      raw.setTimeout(seconds * 1000, () => {
        // Reset: whoever goes on later would take an end, in HTTP/1.0, for that of the answer.
        if ((raw.socket?.writableLength ?? 0) > 0) raw.socket!.resetAndDestroy();
      });
    }
    done(null, payload);
  });
}

const isLong = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length > SMALL : typeof payload === 'object' && payload !== null;
