import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileInput } from './hostile-inputs.ts';
import type { Held } from './loop-watch.ts';

const ADMIN = { ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: 'hostile-bench' };

/** A real API process on a database that is there, its event loop watched from inside. */
export class WatchedApi {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** @param settings DATABASE_URL, and what else differs from the defaults */
  static async start(settings: Record<string, string>): Promise<WatchedApi> {
    const port = await freePort();
    // Nobody listens there: requests that start a workflow are answered 503, after all the work on them was done.
    const own = { HOST: '127.0.0.1', PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:9', LOG_LEVEL: 'fatal', ...ADMIN };
    const child = fork('bin/api.ts', [], {
      execArgv: ['--import', './bench/support/loop-watch.ts'],
      env: { ...process.env, ...own, ...settings },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const api = new WatchedApi(child, port);
    const until = Date.now() + 120_000;
    for (;;) {
      const answer = await api.send({ name: 'health', method: 'GET', path: '/health/live', body: '', headers: {} }).catch(() => 0);
      if (answer === 200) break;
      if (Date.now() > until || child.exitCode !== null) throw new Error('the API does not start');
      await sleep(100);
    }
    return api;
  }

  static readonly admin = ADMIN;

  get pid(): number {
    return this.#child.pid!;
  }

  /** The longest hold since this was asked last. */
  async held(): Promise<Held> {
    this.#child.send('held');
    const [held] = await once(this.#child, 'message');
    return held as Held;
  }

  /** @returns the status; 0 when the connection was ended without one */
  send({ method, path, headers, body }: HostileInput): Promise<number> {
    return new Promise((resolve) => {
      const all = { 'content-length': Buffer.byteLength(body), ...headers };
      const request = http.request(
        { host: '127.0.0.1', port: this.#port, method, path, headers: all, timeout: 20_000, agent: false },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0)).on('error', () => resolve(response.statusCode ?? 0));
        },
      );
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(0));
      request.end(body);
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
