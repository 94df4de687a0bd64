import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One address before several, as a proxy that does not look into what it passes on. */
export interface Balancer {
  /** host:port */
  readonly address: string;
  /** Passes nothing on for so long, as a line that is cut: no connection hears of it. */
  cut(ms: number): Promise<void>;
  /** Ends every connection: who was in has to come again. */
  turnOut(): void;
  close(): void;
}

/**
 * Leads each connection to the next of the targets that takes one.
 * @param targets asked for at each connection: host:port
 */
export async function startBalancer(targets: () => readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const pairs = new Set<[near: Socket, far: Socket]>();
  let healed: Promise<unknown> = Promise.resolve();
  let turn = 0;
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => {});
    near.on('close', () => sockets.delete(near));
    const all = targets();
    const first = turn++;
    const lead = (tried: number): void => {
      if (tried === all.length) return void near.resetAndDestroy();
      const [host = '', port = ''] = all[(first + tried) % all.length]!.split(':');
      const far = connect(Number(port), host);
      let open = false;
      far.on('connect', () => {
        open = true;
        const pair: [Socket, Socket] = [near, far];
        pairs.add(pair);
        healed.then(() => near.pipe(far).pipe(near));
        near.on('close', () => {
          pairs.delete(pair);
          far.destroy();
        });
      });
      far.on('error', () => (open ? near.destroy() : lead(tried + 1)));
      far.on('close', () => open && near.destroy());
    };
    lead(0);
  });
  const turnOut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async cut(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      healed = promise;
      const cut = [...pairs];
      for (const [near, far] of cut) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
      await sleep(ms);
      for (const [near, far] of cut) if (!near.destroyed) near.pipe(far).pipe(near);
      resolve();
    },
    turnOut,
    close() {
      turnOut();
      server.close();
    },
  };
}
