import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { startPlatform } from '../../embedded/platform.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { Supervisor } from '../../embedded/supervisor.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import type { Place } from './check-mail.ts';
import { makePeople, type People } from './people.ts';
import { startProxy, type Wire } from './proxy.ts';
import { RelayRecord } from './relay-record.ts';
import { makeTurnable } from './turned-database.ts';

export interface StageOptions {
  recipients?: number;
  /** Mails per second, so that there is a middle to strike in. */
  rate?: number;
  /** To the relay, of each worker. */
  connections?: number;
  /** What the relay's wire takes each way, in milliseconds: so that there are always mails on it. */
  relayDelayMs?: number;
  /** Seconds within which a mailing comes to its end. */
  patience?: number;
  /** The platform's programs are spoiled on purpose: a name out of MUTANTS. */
  mutant?: string;
}

export const WORKERS = ['worker-1', 'worker-2'] as const;
export type WorkerName = (typeof WORKERS)[number];
export type Part = WorkerName | 'api' | 'postgres' | 'temporal';
/** Who connects to whom. */
export type WireName = `${WorkerName}-${'relay' | 'postgres' | 'temporal'}` | `api-${'postgres' | 'temporal'}`;

/** A platform to be tormented, made for one round after the other. */
export interface Stage {
  readonly recipients: number;
  readonly rate: number;
  readonly connections: number;
  readonly patience: number;
  readonly place: Place;
  /** Whom it made, by its own list. */
  readonly people: People;
  /** PostgreSQL, past the wires. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly sink: SmtpSink;
  readonly wires: Readonly<Record<WireName, Wire>>;
  readonly record: RelayRecord;
  pid(part: Part): number | undefined;
  /** Who has been made to stand still in this round. */
  readonly paused: Set<Part>;
  /** Milliseconds the machine did not let a worker run at a stretch, at most, since this was last asked. */
  lateness(worker: WorkerName): number;
  /** Sets the wall clock of a worker so many seconds away from the truth. */
  turnClock(worker: WorkerName, seconds: number): void;
  /** The same of the database's clock. */
  turnDatabaseClock(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Of every shard: short, so that a round is. */
export const LEASE_SECONDS = 3;
/** Most connections of its PostgreSQL: few, so that they can be used up. */
const DATABASE_CONNECTIONS = 70;

/**
 * A whole platform: two workers, every way between the parts through a place where it can be troubled, a relay in this process that keeps its own record.
 * Leases are short, so that a round is. Everything lives in a folder of its own and ends with `close`.
 */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { recipients = 2000, rate = 1000, connections = 8, relayDelayMs = 4, patience = 120, mutant } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-chaos-'));
  const servers = new Supervisor({ longestPauseMs: 250 });
  const postgres = await servers.add('postgres', () =>
    startPostgres({ dataDir, parameters: { max_connections: String(DATABASE_CONNECTIONS) } }),
  );
  const temporal = await servers.add('temporal', () => startTemporal({ dataDir, namespace: 'default' }));
  await makeTurnable(postgres.url);
  const record = new RelayRecord();
  const sink = await startSmtpSink({ keep: 0, onMail: (mail) => record.take(mail), onRefused: (mail) => record.refuse(mail) });
  const targets = { relay: `${sink.host}:${sink.port}`, postgres: new URL(postgres.url).host, temporal: temporal.address };
  const wires = {} as Record<WireName, Wire>;
  for (const part of [...WORKERS, 'api'] as const) {
    for (const [name, target] of Object.entries(targets)) {
      wires[`${part}-${name}` as WireName] = await startProxy(target, name === 'relay' ? relayDelayMs : 0);
    }
  }
  const through = (wire: WireName, url: string) => Object.assign(new URL(url), { port: String(wires[wire].port) }).href;
  const clockOf = (worker: string) => join(dataDir, `${worker}.clock`);
  const lateOf = (worker: string) => join(dataDir, `${worker}.late`);
  const settings = {
    DATA_DIR: join(dataDir, 'platform'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    SECRET_KEY: `chaos-${randomUUID()}`,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: String(connections),
    SMTP_TIMEOUT_MS: '4000',
    SEND_LEASE_SECONDS: String(LEASE_SECONDS),
    SEND_RETRY_SECONDS: '1',
    // So that shards change hands all the time.
    SEND_SHARD_SIZE: '60',
    SEND_SLICE_SECONDS: '1',
    SEND_LANES: '2',
    // One lane each, so that both are always in it.
    SEND_SLOTS: '1',
    WORKER_PROCESSES: String(WORKERS.length),
  };
  const preload = (...files: string[]) =>
    [process.env['NODE_OPTIONS'] ?? '', ...files.map((file) => `--import=${new URL(file, import.meta.url)}`)].join(' ');
  const spoiled = mutant === undefined ? [] : ['./mutate.ts'];
  const platform = await startPlatform(readEnv({ ...process.env, ...settings }), {
    longestPauseMs: 250,
    environmentOf(part) {
      const engine = { CHAOS_MUTANT: mutant, NODE_OPTIONS: preload(...spoiled) };
      if (part === 'migrate') return engine;
      const own = {
        DATABASE_URL: through(`${part}-postgres` as WireName, postgres.url),
        TEMPORAL_ADDRESS: wires[`${part}-temporal` as WireName].address,
      };
      if (part === 'api') return { ...own, ...engine };
      return {
        ...own,
        ...engine,
        SMTP_URL: through(`${part}-relay` as WireName, sink.url),
        NODE_OPTIONS: preload('./turned-clock.ts', './late-loop.ts', ...spoiled),
        TURNED_CLOCK_FILE: clockOf(part),
        LATE_FILE: lateOf(part),
      };
    },
  });
  const pool = createPool(postgres.url, 3);
  const people = await makePeople(pool, recipients);
  const pid = (part: Part) => servers.pid(part) ?? platform.supervisor.pid(part);

  return {
    recipients,
    rate,
    connections,
    patience,
    place: { baseUrl: platform.baseUrl, secretKey: settings.SECRET_KEY },
    people,
    databaseUrl: postgres.url,
    pool,
    sink,
    wires,
    record,
    pid,
    paused: new Set(),
    lateness(worker) {
      const file = lateOf(worker);
      if (!existsSync(file)) return 0;
      const times = readFileSync(file, 'utf8').split('\n').map(Number);
      rmSync(file);
      return Math.max(...times);
    },
    turnClock(worker, seconds) {
      writeFileSync(clockOf(worker), String(seconds));
      const process_ = pid(worker);
      if (process_) process.kill(process_, 'SIGUSR2');
    },
    async turnDatabaseClock(seconds) {
      await pool.query('update turned.clock set seconds = $1', [seconds]);
    },
    async close() {
      await pool.end();
      await platform.stop();
      for (const wire of Object.values(wires)) wire.close();
      await servers.stop();
      await sink.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
