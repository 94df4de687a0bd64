import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { ApiClient } from './api-client.ts';
import { onBareTables } from './bare-tables.ts';
import { newsletter } from './newsletter.ts';
import { cpuSeconds, descendants, family, peakMemory } from './process-cost.ts';
import { profileParts } from './profile-parts.ts';
import { type SinkProcess, startSinkProcess } from './sink-process.ts';
import { StatementCosts } from './statement-costs.ts';

/** What one send of a mailing to everybody came to. */
export interface SendRound {
  perSecond: number;
  seconds: number;
  /** Microseconds of processor time per mail, over all our processes. */
  cpuPerMail: number;
  walBytesPerRecipient: number;
  /** Commits of the database, those of the API included. */
  mailsPerCommit: number;
  workflowEvents: number;
  /** See eventsPerMinute(). */
  eventsPerMinute: number | null;
}

/** Events of a run that is over at once: what stands around the slices, and a first slice of two lanes. */
const EVENTS_AT_LEAST = 46;

/** Events for each minute of sending, without those a run has that is over at once; null where it lasted less than a minute. */
export const eventsPerMinute = (events: number, seconds: number): number | null =>
  seconds < 60 ? null : Math.round((6000 * (events - EVENTS_AT_LEAST)) / seconds) / 100;

/** The whole platform with so many people in it and a sink of its own, for benches that send. */
export class SendStage {
  readonly platform: Platform;
  readonly sink: SinkProcess;
  readonly pool: pg.Pool;
  readonly recipients: number;
  readonly #workers: number;
  readonly #api: ApiClient;
  readonly #dataDir: string;

  private constructor(platform: Platform, sink: SinkProcess, recipients: number, workers: number, dataDir: string) {
    this.platform = platform;
    this.sink = sink;
    this.pool = createPool(platform.databaseUrl, 2);
    this.recipients = recipients;
    this.#workers = workers;
    this.#api = new ApiClient(platform.baseUrl);
    this.#dataDir = dataDir;
  }

  /** @param given host and port of a sink that runs already, in place of our own */
  static async open(recipients: number, workers: number, settings: Record<string, string> = {}, given?: string): Promise<SendStage> {
    const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
    const sink = await startSinkProcess(given);
    const own = { DATA_DIR: dataDir, PORT: '0', SMTP_URL: sink.url, LOG_LEVEL: 'warn', WORKER_PROCESSES: String(workers) };
    const platform = await startPlatform(readEnv({ ...process.env, ...own, ...settings }), {
      say: console.log,
      environmentOf: (part) => (part === 'worker-1' ? profilable(dataDir) : {}),
    });
    const stage = new SendStage(platform, sink, recipients, workers, dataDir);
    await stage.#people();
    return stage;
  }

  /** A mailing to everybody with its set saved. @returns its URI */
  async mailing(more: Record<string, unknown> = {}): Promise<string> {
    const { rows } = await this.pool.query('select id from core_list limit 1');
    const mailing = await this.#api.create('/rest/v1/mailer/', {
      subjects: newsletter.subjects,
      preview_text: newsletter.previewTexts,
      html: newsletter.html,
      custom_fromline: newsletter.from,
      includes: { lists: [rows[0].id] },
      ...more,
    });
    await this.#api.done(await this.#api.create(`${mailing}rebuild/`));
    return mailing;
  }

  queue(mailing: string): Promise<unknown> {
    return this.#api.create(`${mailing}queue/`);
  }

  stop(mailing: string): Promise<unknown> {
    return this.#api.request('POST', `${mailing}stop/`);
  }

  /** Waits for the end of a mailing, which it looks for in the database: a client that asked the API so often would be a cost of its own. */
  async ended(mailing: string): Promise<void> {
    for (;;) {
      const { rows } = await this.pool.query('select status from core_mailing where id = $1', [idOf(mailing)]);
      const { status } = rows[0] as { status: string };
      if (status === 'completed') return;
      if (status === 'died' || status === 'stopped') {
        const { error } = await this.#api.get<{ error: string[] | null }>(`${mailing}status/`);
        throw new Error(`the mailing is ${status}: ${error}`);
      }
      await sleep(50);
    }
  }

  /** Sends a new mailing to everybody. */
  async send(): Promise<SendRound> {
    const mailing = await this.mailing();
    const [wal, commits, cpu, began] = [await this.#walPosition(), await this.#commits(), this.cpuSeconds(), performance.now()];
    await this.queue(mailing);
    await this.ended(mailing);
    const seconds = (performance.now() - began) / 1000;
    const used = this.cpuSeconds() - cpu;
    const workflowEvents = await this.eventsOf(mailing);
    return {
      perSecond: this.recipients / seconds,
      seconds,
      cpuPerMail: (used * 1e6) / this.recipients,
      walBytesPerRecipient: ((await this.#walPosition()) - wal) / this.recipients,
      mailsPerCommit: this.recipients / ((await this.#commits()) - commits),
      workflowEvents,
      eventsPerMinute: eventsPerMinute(workflowEvents, seconds),
    };
  }

  /**
   * Sends once more, looking into worker and database meanwhile, which costs a little itself.
   * @returns microseconds of processor time per mail: by process, of the worker by part, of the database by statement
   */
  async costs(): Promise<Record<'processes' | 'worker' | 'statements', Record<string, number>>> {
    const { supervisor } = this.platform;
    const worker = supervisor.pid('worker-1') as number;
    const statements = new StatementCosts(this.pool);
    const pids = { worker, postgres: supervisor.pid('postgres'), temporal: supervisor.pid('temporal'), api: supervisor.pid('api') };
    const costs = () =>
      Object.entries({ ...pids, sink: this.sink.pid }).map(([part, pid]) => [part, pid ? cpuSeconds(family(pid)) : 0] as const);
    const before = costs();
    process.kill(worker, 'SIGUSR2');
    await this.send();
    process.kill(worker, 'SIGUSR2');
    const perMail = (figures: readonly (readonly [string, number])[]) =>
      Object.fromEntries(figures.map(([name, seconds]) => [name, Math.round((seconds * 1e7) / this.recipients) / 10]));
    const after = costs();
    const costliest = await statements.end();
    const looking = (part: string) => (part === 'postgres' ? statements.own : 0);
    const processes = perMail(after.map(([part, seconds], n) => [part, seconds - before[n]![1] - looking(part)]));
    const file = profilable(this.#dataDir).PROFILE_FILE;
    for (let tries = 0; !existsSync(file) && tries < 100; tries++) await sleep(100);
    await sleep(500);
    const parts = Object.entries(profileParts(JSON.parse(readFileSync(file, 'utf8'))));
    const sampled = parts.sort(([, a], [, b]) => b - a).map(([part, micros]) => [part, micros / 1e6] as const);
    return { processes, worker: perMail(sampled), statements: perMail(costliest) };
  }

  /** How many mails of a mailing are accepted by now. */
  async accepted(mailing: string): Promise<number> {
    const { rows } = await this.pool.query('select coalesce(sum(accepted), 0) as n from send_shard where mailing_id = $1', [idOf(mailing)]);
    return Number(rows[0].n);
  }

  /** Sends a new mailing to everybody and kills a worker (SIGKILL) in the middle of it. @returns how many are uncertain then */
  async sendThroughKill(): Promise<number> {
    const mailing = await this.mailing();
    await this.queue(mailing);
    while ((await this.accepted(mailing)) < this.recipients / 3) await sleep(5);
    process.kill(this.platform.supervisor.pid('worker-1') as number, 'SIGKILL');
    await this.ended(mailing);
    const { progress, failed, skipped, uncertain } = await this.#api.get<Record<string, number>>(`${mailing}progress/`);
    const settled = progress! + failed! + skipped! + uncertain!;
    if (settled !== this.recipients) throw new Error(`${settled} recipients of ${this.recipients} are accounted for`);
    return uncertain!;
  }

  /** Workflow events of a mailing's send. */
  async eventsOf(mailing: string): Promise<number> {
    const connection = await Connection.connect({ address: this.platform.temporalAddress });
    const id = workflowId.sendMailing(idOf(mailing));
    const { historyLength } = await new Client({ connection }).workflow.getHandle(id).describe();
    await connection.close();
    return historyLength;
  }

  /** Processor time of all our processes so far, the sink left out; those begun meanwhile count too. */
  cpuSeconds(): number {
    return cpuSeconds(descendants([this.sink.pid]));
  }

  /** The most memory any worker process has had, in megabytes. */
  peakWorkerMegabytes(): number {
    const pids = Array.from({ length: this.#workers }, (_, n) => this.platform.supervisor.pid(`worker-${n + 1}`));
    return Math.round(Math.max(...pids.map((pid) => (pid ? peakMemory(pid) : 0))) / 2 ** 20);
  }

  /** Bytes of set, log and record with their indexes. */
  async ledgerBytes(): Promise<number> {
    const tables = ['send_set', 'send_log', 'send_accepted', 'send_exception', 'send_reached'];
    const { rows } = await this.pool.query('select sum(pg_total_relation_size(t::regclass)) as bytes from unnest($1::text[]) t', [tables]);
    return Number(rows[0].bytes);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.platform.stop();
    this.sink.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  /** Bytes of write-ahead log since the cluster was made. */
  async #walPosition(): Promise<number> {
    const { rows } = await this.pool.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`);
    return Number(rows[0].bytes);
  }

  async #commits(): Promise<number> {
    // Connections tell what they did a second late.
    await sleep(1500);
    const { rows } = await this.pool.query('select xact_commit as commits from pg_stat_database where datname = current_database()');
    return Number(rows[0].commits);
  }

  async #people(): Promise<void> {
    const client = await this.pool.connect();
    await client.query(`insert into core_list (name) values ('Everyone')`);
    await onBareTables([client], ['core_user', 'core_subscription'], async () => {
      await client.query(
        `insert into core_user (email, first_name, city, state, subscription_status)
          select 'person.' || n || '@example.org', (array['Ada', 'Grace', 'Zoë', 'Pat', 'Linus'])[1 + n % 5], 'Springfield', 'MA', 'subscribed'
          from generate_series(1, $1) n`,
        [this.recipients],
      );
      await client.query('insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l order by u.id');
    });
    await client.query('vacuum analyze');
    client.release();
  }
}

/** Environment of a process that can be looked into. */
const profilable = (dataDir: string) => ({
  NODE_OPTIONS: [process.env['NODE_OPTIONS'] ?? '', `--import=${new URL('./profile-on-signal.ts', import.meta.url)}`].join(' '),
  PROFILE_FILE: join(dataDir, 'worker.cpuprofile'),
});

const idOf = (mailing: string) => Number(mailing.split('/').at(-2));
