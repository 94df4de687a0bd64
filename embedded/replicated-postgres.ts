import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newConnection } from '../db/driver.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import type { ServerCertificate } from './postgres-tls.ts';

/** A primary, and a standby that streams from it. */
export class ReplicatedPostgres {
  readonly #primaryFolder: string;
  readonly #standbyFolder: string;
  readonly #tls: ServerCertificate | undefined;
  #primary!: PostgresServer;
  #standby: PostgresServer | null = null;

  private constructor(folder: string, tls: ServerCertificate | undefined) {
    this.#tls = tls;
    this.#primaryFolder = join(folder, 'primary');
    this.#standbyFolder = join(folder, 'standby');
    for (const each of [this.#primaryFolder, this.#standbyFolder]) mkdirSync(each, { recursive: true });
  }

  /**
   * Both run, and commits wait for the standby.
   * @param folder which other users may pass through: as root, the servers run as somebody else
   * @param tls with it nobody comes in who is not encrypted, the standby neither
   */
  static async start(folder: string, tls?: ServerCertificate): Promise<ReplicatedPostgres> {
    const pair = new ReplicatedPostgres(folder, tls);
    const first = await pair.#serve(pair.#primaryFolder);
    await first.stop();
    pair.#copyPrimary();
    pair.#primary = await pair.#serve(pair.#primaryFolder);
    await pair.startStandby();
    await pair.setSynchronous(true);
    return pair;
  }

  get url(): string {
    return this.#primary.url;
  }

  async startStandby(): Promise<void> {
    const { port, password } = new URL(this.#primary.url);
    const encrypted = this.#tls ? ` sslmode=verify-full sslrootcert=${this.#tls.authorityFile} sslcertmode=disable` : '';
    const parameters = { primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password}${encrypted}` };
    this.#standby = await this.#serve(this.#standbyFolder, parameters);
    const streaming = () => this.asSuperuser('select from pg_stat_replication where state = $1', ['streaming']);
    while ((await streaming()).rowCount !== 1) await sleep(20);
  }

  async stopStandby(): Promise<void> {
    await this.#standby?.stop();
    this.#standby = null;
  }

  /** Whether a commit waits until the standby has it. */
  async setSynchronous(yes: boolean): Promise<void> {
    await this.asSuperuser(`alter system set synchronous_standby_names = '${yes ? '*' : ''}'`);
    await this.asSuperuser('select pg_reload_conf()');
    while ((await this.asSuperuser('show synchronous_standby_names')).rows[0].synchronous_standby_names !== (yes ? '*' : ''))
      await sleep(20);
  }

  /**
   * As a machine does that loses its power: the primary is gone, and the standby is in its place, at its address, with what it had. Stopped a while before, it is
   * one that lagged.
   */
  async failOver(): Promise<void> {
    process.kill(this.#primary.pid, 'SIGKILL');
    await this.#primary.exited;
    await this.stopStandby();
    const home = join(this.#standbyFolder, 'postgres');
    rmSync(join(home, 'data', 'standby.signal'));
    writeFileSync(join(home, 'port'), new URL(this.url).port);
    this.#primary = await this.#serve(this.#standbyFolder);
  }

  async asSuperuser(text: string, values: unknown[] = []) {
    const client = newConnection(Object.assign(new URL(this.url), { username: 'postgres', pathname: '/postgres' }).href);
    await client.connect();
    try {
      return await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.stopStandby();
    await this.#primary.stop();
  }

  #serve(dataDir: string, parameters: Record<string, string> = {}): Promise<PostgresServer> {
    return startPostgres({ dataDir, parameters, ...(this.#tls && { tls: this.#tls }) });
  }

  /** As PostgreSQL's own base backup does, which the embedded programs do not include: of a server that has ended. */
  #copyPrimary(): void {
    execFileSync('cp', ['-a', join(this.#primaryFolder, 'postgres'), this.#standbyFolder]);
    const home = join(this.#standbyFolder, 'postgres');
    rmSync(join(home, 'port'), { force: true });
    const signal = join(home, 'data', 'standby.signal');
    writeFileSync(signal, '');
    const { uid, gid } = statSync(join(home, 'data'));
    chownSync(signal, uid, gid);
  }
}
