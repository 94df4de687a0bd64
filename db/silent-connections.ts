import type { Socket } from 'node:net';
import type pg from 'pg';
import { cancelStatement } from './cancel-request.ts';
import { isDatabaseError, newConnection } from './driver.ts';

/** When connections are asked after, and given up, in milliseconds. */
export interface SilenceLimits {
  /** One that has said nothing for so long is asked after. */
  quietMs: number;
  lookEveryMs: number;
  /** Where nobody can reach the server for so long, those that have said nothing are given up. */
  awayMs: number;
}

const LIMITS: SilenceLimits = { quietMs: 10_000, lookEveryMs: 2_500, awayMs: 20_000 };
/** For the question itself. */
const PATIENCE_MS = 5_000;

type Client = pg.PoolClient & { connection: pg.Connection; processID: number };

/** Of each database; one question at a time, whatever pools there are. */
const silences = new Map<string, Silence>();

/**
 * Has a pool's connections given up that lead nowhere. Where a machine is gone without a word, and its address leads to another by now or to none, packets are
 * lost, and the system tells of it after a quarter of an hour: until then every statement on such a connection waits, and holds one of those there may be. So of
 * what has said nothing for a while the server is asked, over a connection of its own, whether it knows it. What only takes long goes on; behind a pooler, which
 * knows all of them, only one that cannot be reached ends them. What waits fails as on any lost connection.
 *
 * What somebody else holds is waited for twice by whoever is next in line: for their place there, and for it. PostgreSQL's lock_timeout is for each wait by itself, so a statement
 * that has been at it for longer than one may take, and waits, is called off (not behind a pooler, whose numbers say nothing of the server's).
 * @param pool of connections to `databaseUrl`
 * @param lockWithinMs how long its statements may wait for what somebody else holds; without it, for ever
 */
export function giveUpSilent(pool: pg.Pool, databaseUrl: string, lockWithinMs = Number.POSITIVE_INFINITY, limits = LIMITS): void {
  const silence = silences.get(databaseUrl) ?? new Silence(databaseUrl, limits);
  silences.set(databaseUrl, silence);
  silence.watch(pool, lockWithinMs);
}

interface Heard {
  bytes: number;
  at: number;
  lockWithinMs: number;
}

/** Of each connection that the server knows, how many milliseconds its statement has been under way that waits for what somebody else holds; 0 of what does not wait. */
const KNOWN = `select pg_backend_pid() as own, coalesce(jsonb_object_agg(pid,
    case when wait_event_type = 'Lock' then extract(epoch from clock_timestamp() - query_start) * 1000 else 0 end), '{}') as known
  from pg_stat_activity where pid = any($1::int[])`;

class Silence {
  readonly #databaseUrl: string;
  readonly #limits: SilenceLimits;
  /** How much each connection has said, and since when no more. */
  readonly #heard = new Map<Client, Heard>();
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #awaySince: number | null = null;

  constructor(databaseUrl: string, limits: SilenceLimits) {
    this.#databaseUrl = databaseUrl;
    this.#limits = limits;
  }

  watch(pool: pg.Pool, lockWithinMs: number): void {
    pool.on('connect', (client) => {
      this.#heard.set(client as Client, { bytes: 0, at: performance.now(), lockWithinMs });
      this.#timer ??= setInterval(() => this.#look(), this.#limits.lookEveryMs).unref();
    });
    pool.on('remove', (client) => {
      this.#heard.delete(client as Client);
      if (this.#heard.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    const quiet = this.#quiet();
    if (quiet.length === 0) {
      this.#awaySince = null;
      return;
    }
    this.#asking = true;
    const began = performance.now();
    const known = await this.#known(quiet).catch((error) => (isDatabaseError(error) ? quiet : null));
    this.#asking = false;
    if (known === null) {
      this.#awaySince ??= began;
      if (performance.now() - this.#awaySince < this.#limits.awayMs) return;
    } else this.#awaySince = null;
    for (const client of quiet) if (!known?.includes(client)) client.connection.stream.destroy();
  }

  #quiet(): Client[] {
    const now = performance.now();
    const quiet: Client[] = [];
    for (const [client, heard] of this.#heard) {
      const bytes = (client.connection.stream as Socket).bytesRead;
      if (bytes !== heard.bytes) this.#heard.set(client, { ...heard, bytes, at: now });
      else if (now - heard.at >= Math.min(this.#limits.quietMs, heard.lockWithinMs)) quiet.push(client);
    }
    return quiet;
  }

  /** Those the server knows. @throws Error where it cannot be reached */
  async #known(clients: Client[]): Promise<Client[]> {
    const own = newConnection(this.#databaseUrl, { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
    own.on('error', () => {});
    try {
      await own.connect();
      const answer = own.query<{ own: number; known: Record<string, number> }>(KNOWN, [clients.map(({ processID }) => processID)]);
      // A server that lets somebody in is there, however long it takes over the rest.
      const { rows } = await answer.catch(() => ({ rows: [] }));
      const [row] = rows;
      // A pooler gives connections numbers of its own.
      if (row?.own !== (own as unknown as Client).processID) return clients;
      for (const client of clients) this.#callOff(client, row.known[client.processID] ?? 0);
      return clients.filter(({ processID }) => processID in row.known);
    } finally {
      await own.end().catch(() => {});
    }
  }

  /** Not where it has been answered since: it would end what comes next. */
  #callOff(client: Client, waitedMs: number): void {
    const heard = this.#heard.get(client);
    if (heard && waitedMs > heard.lockWithinMs && (client.connection.stream as Socket).bytesRead === heard.bytes) cancelStatement(client);
  }
}
