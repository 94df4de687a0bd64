import { connect, createServer, type Socket } from 'node:net';

/** A way to PostgreSQL that knows where each statement begins. */
export interface StatementProxy {
  port: number;
  /** Ends every connection and takes no new ones. */
  close(): void;
}

/** What becomes of a statement: it goes through; it never arrives; it arrives, and its answer never does; it is done, and its connection is lost before the answer. */
export type Fate = 'pass' | 'hold' | 'deafen' | 'lose';

/** The end of an answer outside a transaction: what was asked for is committed. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/**
 * @param target of the server itself, a URL
 * @param fateOf told of every statement: how manieth of its connection's transaction it is, the first being `begin`, and the values bound to it;
 *   a connection whose statement was held or deafened stays silent for good
 */
export async function startStatementProxy(
  target: string,
  connected: () => (nth: number, statement: Statement) => Fate,
): Promise<StatementProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    const fateOf = connected();
    let fate: Fate = 'pass';
    let nth = 0;
    let text = '';
    let rest = Buffer.alloc(0);
    let begun = false;
    far.on('data', (chunk) => {
      if (fate === 'lose' && chunk.subarray(-6).equals(READY)) near.destroy();
      if (fate === 'pass' || fate === 'hold') near.write(chunk);
    });
    near.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        // The first message of a connection has no letter in front.
        const head = begun ? 1 : 0;
        if (fate === 'hold' || rest.length < head + 4) return;
        const length = head + rest.readInt32BE(head);
        if (rest.length < length) return;
        const message = rest.subarray(0, length);
        const kind = begun ? String.fromCharCode(message[0]!) : '';
        begun = true;
        if (kind === 'P') text = textAt(message, message.indexOf(0, 5) + 1);
        if (kind === 'Q' || kind === 'B') {
          const statement = kind === 'Q' ? { text: textAt(message, 5), values: [] } : { text, values: boundValues(message) };
          nth = /^begin/i.test(statement.text) ? 0 : nth + 1;
          fate = fateOf(nth, statement);
          // What is held stays here; the description that went before it does nothing by itself.
          if (fate === 'hold') return;
        }
        far.write(message);
        rest = rest.subarray(length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export interface Statement {
  text: string;
  values: string[];
}

const textAt = (message: Buffer, from: number): string => message.toString('utf8', from, message.indexOf(0, from));

/** The values of a Bind message, as text. */
function boundValues(message: Buffer): string[] {
  let at = message.indexOf(0, message.indexOf(0, 5) + 1) + 1;
  at += 2 + 2 * message.readInt16BE(at);
  const count = message.readInt16BE(at);
  at += 2;
  const values: string[] = [];
  for (let n = 0; n < count; n++) {
    const length = message.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? '' : message.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return values;
}
