import { connect, createServer, type Socket } from 'node:net';

/** A TCP connection between two parts that can be troubled: `pass`, `refuse` (cut now and refuse new ones), `swallow` (open, but nothing comes through). */
export interface Wire {
  port: number;
  set(mode: 'pass' | 'refuse' | 'swallow'): void;
  close(): void;
}

/** @param target host:port */
export async function startProxy(target: string): Promise<Wire> {
  const [host, port] = target.split(':') as [string, string];
  const pairs = new Set<[Socket, Socket]>();
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass';
  const server = createServer((near) => {
    if (mode === 'refuse') return near.resetAndDestroy();
    const far = connect(Number(port), host);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as [Socket, Socket][]) {
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (mode === 'swallow') return;
        to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    set(next) {
      // What was swallowed is missing from the stream for good: such connections cannot go on.
      if (next !== mode && (next === 'refuse' || mode === 'swallow'))
        for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
      mode = next;
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
}
