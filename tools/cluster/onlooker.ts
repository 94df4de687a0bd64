import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, newConnection } from '../../db/driver.ts';

const EVERY_MS = 250;

interface Connection {
  /** Of one that was opened later at the same place it is another. */
  id: string;
  encrypted: boolean;
}

/** Who is connected to a PostgreSQL over the network: standbys among them, and whoever looks; not who has yet to log in. */
const TO_POSTGRES = `select pid || ' since ' || backend_start as id, coalesce(ssl, false) as encrypted
  from pg_stat_activity left join pg_stat_ssl using (pid) where client_addr is not null and usename is not null`;

/** Looks all the while who is connected to a server, and whether it is encrypted. */
export class Onlooker {
  readonly #connections = new Map<string, boolean>();
  readonly #looking: Promise<void>;
  #leaving = false;

  private constructor(url: () => string, ask: (client: Client) => Promise<Connection[]>) {
    this.#looking = this.#look(url, ask);
  }

  /** @param url of a superuser, asked for anew when the connection was lost */
  static atPostgres(url: () => string): Onlooker {
    return new Onlooker(url, async (client) => (await client.query<Connection>(TO_POSTGRES)).rows);
  }

  /** @param url of somebody who may ask pgbouncer */
  static atPooler(url: string): Onlooker {
    const console = Object.assign(new URL(url), { pathname: '/pgbouncer' }).href;
    return new Onlooker(
      () => console,
      async (client) => {
        const { rows } = await client.query<Record<'addr' | 'port' | 'connect_time' | 'tls', string>>('show clients');
        return rows.map(({ addr, port, connect_time, tls }) => ({ id: `${addr}:${port} ${connect_time}`, encrypted: Boolean(tls) }));
      },
    );
  }

  /** How many connections were seen. */
  get seen(): { encrypted: number; inClear: number } {
    const all = [...this.#connections.values()];
    const encrypted = all.filter(Boolean).length;
    return { encrypted, inClear: all.length - encrypted };
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#looking;
  }

  async #look(url: () => string, ask: (client: Client) => Promise<Connection[]>): Promise<void> {
    for (; !this.#leaving; await sleep(EVERY_MS)) {
      const client = newConnection(url(), { connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
      client.on('error', () => {});
      try {
        await client.connect();
        for (; !this.#leaving; await sleep(EVERY_MS))
          for (const { id, encrypted } of await ask(client)) this.#connections.set(id, encrypted);
      } catch {
        // It is struck, too.
      } finally {
        await client.end().catch(() => {});
      }
    }
  }
}
