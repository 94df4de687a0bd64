import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address before several, as a proxy that does not look into what it passes on. */
export interface Balancer {
  /** host:port */
  readonly address: string;
  close(): void;
}

/**
 * Leads each connection to the next of the targets that takes one.
 * @param targets asked for at each connection: host:port
 */
export async function startBalancer(targets: () => readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => sockets.delete(near));
    const all = targets();
    const first = turn++;
    const lead = (tried: number): void => {
      if (tried === all.length) {
        near.resetAndDestroy();
        return;
      }
      const [host = '', port = ''] = all[(first + tried) % all.length]!.split(':');
      const far = connect(Number(port), host);
      let open = false;
      far.on('connect', () => {
        open = true;
        near.pipe(far).pipe(near);
        near.on('close', () => far.destroy());
      });
      far.on('error', () => (open ? near.destroy() : lead(tried + 1)));
      far.on('close', () => open && near.destroy());
    };
    lead(0);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
