import { once } from 'node:events';
import http from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostileInput } from './hostile-inputs.ts';
import type { Held } from './loop-watch.ts';
import { WatchedProcess } from './watched-process.ts';

const ADMIN = { ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: 'hostile-bench' };

/** A real API process on a database that is there, its event loop watched from inside. */
export class WatchedApi {
  static readonly admin = ADMIN;
  /** Basic credentials of somebody who may do everything. */
  static readonly credentials = `Basic ${Buffer.from(`${ADMIN.ADMIN_USERNAME}:${ADMIN.ADMIN_PASSWORD}`).toString('base64')}`;
  readonly #process: WatchedProcess;
  readonly #port: number;

  private constructor(process: WatchedProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** @param settings DATABASE_URL, and what else differs from the defaults */
  static async start(settings: Record<string, string>): Promise<WatchedApi> {
    const port = await freePort();
    // Where no address is given nobody listens: requests that start a workflow are answered 503, after all the work on them was done.
    const own = { HOST: '127.0.0.1', PORT: String(port), TEMPORAL_ADDRESS: '127.0.0.1:9', RATE_LIMIT_PER_MINUTE: '0', ...ADMIN };
    const process = new WatchedProcess('bin/api.ts', { ...own, ...settings });
    const api = new WatchedApi(process, port);
    const until = Date.now() + 120_000;
    for (;;) {
      const answer = await api.send({ name: 'health', method: 'GET', path: '/health/live', body: '', headers: {} });
      if (answer === 200) return api;
      if (Date.now() > until || !process.running) throw new Error('the API does not start');
      await sleep(100);
    }
  }

  get pid(): number {
    return this.#process.pid;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  held(): Promise<Held> {
    return this.#process.held();
  }

  /** @returns the status; 0 when the connection was ended without one */
  send({ method, path, headers, body }: HostileInput): Promise<number> {
    return new Promise((resolve) => {
      const all = { 'content-length': Buffer.byteLength(body), ...headers };
      const request = http.request(
        { host: '127.0.0.1', port: this.#port, method, path, headers: all, timeout: 60_000, agent: false },
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

  stop(): Promise<void> {
    return this.#process.stop();
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
