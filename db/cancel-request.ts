import { connect } from 'node:net';
import type pg from 'pg';

/** PostgreSQL documentation, "Message Formats": its length, its code, and whose statement is meant. */
const LENGTH = 16;
const CODE = 80_877_102;
const PATIENCE_MS = 5_000;

/** What the server said of itself when the connection began; the driver's types leave it out. */
interface Backend {
  processID: number;
  secretKey: number;
}

/**
 * Asks the server to cancel what a connection waits for, as PostgreSQL has it: over a connection of its own, which needs no login, no TLS and no place among the
 * connections there may be, and which a pooler passes on. Nobody hears whether it helped but the connection itself.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { processID, secretKey, host, port } = client as pg.Client & Backend;
  const request = Buffer.alloc(LENGTH);
  for (const [at, number] of [LENGTH, CODE, processID, secretKey].entries()) request.writeInt32BE(number, at * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => {});
  socket.end(request);
}
