import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { onPath } from '../../embedded/temporal-binary.ts';
import { startBalancer } from './balancer.ts';
import { watchReady } from './ready.ts';

const PAGE = join(import.meta.dirname, '../../docs/operations.md');

/** Where the APIs are asked. */
export interface FrontDoor {
  /** host:port */
  address: string;
  stop(): unknown;
}

/** haproxy before two APIs, by the lines that the docs show, but for tries of its own, which would hide what fails. @returns null where it is not installed */
export async function startHaproxy(folder: string, [one, other]: [number, number]): Promise<FrontDoor | null> {
  const command = onPath('haproxy');
  if (!command) return null;
  const [, lines] = /```haproxy\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8'))!;
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  mkdirSync(folder, { recursive: true });
  const mode = 'mode http\n  retries 0\n  log stdout format raw daemon\n  option httplog\n  option dontlog-normal';
  const places = { 'mode http': mode, ':8480': `:${port}`, ':8481': `:${one}`, ':8482': `:${other}` };
  writeFileSync(
    file,
    Object.entries(places).reduce((text, [shown, ours]) => text.replaceAll(shown, ours), lines!),
  );
  const proxy = await startChild({ command, args: ['-db', '-f', file], logFile: join(folder, 'haproxy.log'), stopSignal: 'SIGUSR1' });
  return { address: `127.0.0.1:${port}`, stop: () => proxy.stop(5_000) };
}

/** haproxy, or one that passes connections on to who is ready. */
export async function startFrontDoor(folder: string, ports: [number, number], say: (what: string) => void): Promise<FrontDoor> {
  const proxy = await startHaproxy(folder, ports);
  if (proxy) return proxy;
  say('haproxy is not installed: connections to the APIs are passed on as they are');
  const ready = watchReady(ports.map((port) => `127.0.0.1:${port}`));
  const balancer = await startBalancer(() => ready.addresses);
  return {
    address: balancer.address,
    stop() {
      balancer.close();
      ready.stop();
    },
  };
}
