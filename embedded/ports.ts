import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Above 10080, the last port that browsers and `fetch` refuse to open (Fetch standard, "bad port"); below what systems give to outgoing connections, so that none of those takes the port before whoever asked for it listens. */
const CHOICE = { from: 10_081, to: 32_768 };
const TRIES = 100;

/**
 * A TCP port on 127.0.0.1 that nobody listens on at this moment.
 * @param preferred taken when it is free, so that addresses stay the same over restarts
 */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(CHOICE.from, CHOICE.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${TRIES} ports tried between ${CHOICE.from} and ${CHOICE.to} is free`);
}

/** @throws Error when it cannot be told */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
