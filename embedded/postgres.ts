import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { newConnection } from '../db/driver.ts';
import { type Child, logTail, startChild } from './child.ts';
import { keepFile, readKept } from './kept-file.ts';
import { freePort } from './ports.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { encryptedOnly, type ServerCertificate } from './postgres-tls.ts';
import { launchAs, serverIdentity } from './unprivileged.ts';

/** A PostgreSQL server of our own, and the address of the platform's database in it. */
export interface PostgresServer extends Child {
  /** postgresql://campaign:…@127.0.0.1:PORT/campaign: owner of its database, may create databases and roles, no superuser. */
  url: string;
}

export interface PostgresSettings {
  /** The server keeps everything in `<dataDir>/postgres`. */
  dataDir: string;
  /** More `-c name=value` settings. Durability (fsync, synchronous_commit, full_page_writes) is as PostgreSQL ships it: on. */
  parameters?: Record<string, string>;
  /** Another server than the one that is brought along: a file of the package that depends on it. */
  programsOf?: string;
  /** With it nobody is let in who is not encrypted, and the address says so. */
  tls?: ServerCertificate;
  /** Told in a sentence what is being done. */
  say?: (what: string) => void;
}

export const PARAMETERS = {
  listen_addresses: '127.0.0.1',
  // No Unix socket: its path would have to be short and writable for the server's user.
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // What statements and rows say of people stays out of the log: an error goes to who sent the statement, the log has what befalls the server.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/**
 * Memory of its own that each of the server's processes may have. One that wants more gets an error of its own, where the machine's end of memory would
 * have the system kill a process and the server drop every connection. Our own statements stay far below (work_mem 64 MB).
 */
const PROCESS_KB = 640 * 1024;

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, making the cluster the first time. Takes up a folder left behind by any crash: an orphaned
 * server on it is ended first, a stale lock file is PostgreSQL's to judge, an unfinished initialisation is begun anew. The port stays
 * the same from start to start as long as it is free.
 * @throws Error with the last lines of the server's log when it does not come up
 */
export async function startPostgres({
  dataDir,
  parameters = {},
  programsOf,
  tls,
  say = () => {},
}: PostgresSettings): Promise<PostgresServer> {
  const home = resolve(dataDir, 'postgres');
  const data = join(home, 'data');
  mkdirSync(home, { recursive: true });
  const binaries = postgresBinaries(programsOf);
  const password = keptPassword(home);
  if (!existsSync(data)) {
    say('creating the database cluster');
    await initialise(binaries, home, data);
  }
  await endOrphan(data);

  const portFile = join(home, 'port');
  const port = await freePort(Number(readKept(portFile)));
  keepFile(portFile, String(port));
  const encryption = tls && encryptedOnly(home, tls);
  const options = Object.entries({ ...PARAMETERS, ...encryption?.parameters, ...parameters, port: String(port) }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  );
  const logFile = join(home, 'server.log');
  const launch = launchAs(serverIdentity(data), [join(data, 'base'), binaries.postgres], 'sh', [
    '-c',
    `ulimit -d ${PROCESS_KB} 2>/dev/null; exec "$0" "$@"`,
    binaries.postgres,
    '-D',
    data,
    ...options,
  ]);
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, nothing is lost.
  const server = await startChild({ ...launch, logFile, stopSignal: 'SIGINT', env: { ...process.env, LC_ALL: 'C' } });
  const address = (role: string, database: string) =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/${database}${encryption?.search ?? ''}`;
  try {
    await ready(address('postgres', 'postgres'), server, logFile, say);
    await makeDatabase(address('postgres', 'postgres'), password);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, url: address('campaign', 'campaign') };
}

function keptPassword(home: string): string {
  const file = join(home, 'password');
  if (!readKept(file)) keepFile(file, `${randomBytes(24).toString('base64url')}\n`, 0o600);
  return readKept(file).trim();
}

/** Made aside and renamed when complete: a crash in the middle leaves nothing that looks like a cluster. */
async function initialise({ initdb, builtinLocales }: PostgresBinaries, home: string, data: string): Promise<void> {
  const fresh = `${data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const user = serverIdentity(fresh);
  const passwordFile = join(fresh, '..', 'password.new');
  writeFileSync(passwordFile, readFileSync(join(home, 'password')), { mode: 0o600 });
  if (user) for (const path of [fresh, passwordFile]) chownSync(path, user.uid, user.gid);
  // The built-in Unicode locale needs nothing from the operating system and sorts the same everywhere and forever.
  const unicode = builtinLocales ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C.UTF-8'];
  const flags = [
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...unicode,
  ];
  const { command, args, user: runAs } = launchAs(user, [join(fresh, 'base'), passwordFile, initdb], initdb, flags);
  try {
    await promisify(execFile)(command, args, { ...runAs, cwd: '/', env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    throw new Error(`The database cluster could not be created: ${(error as { stderr?: string }).stderr || (error as Error).message}`);
  } finally {
    rmSync(passwordFile);
  }
  renameSync(fresh, data);
}

/** Ends a server that still runs on this folder because whoever started it was killed together with its guard. */
async function endOrphan(data: string): Promise<void> {
  const lock = join(data, 'postmaster.pid');
  const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : 0;
  const commandLine = `/proc/${pid}/cmdline`;
  const isOurs = () => pid > 0 && existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(data);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isOurs()) return;
    process.kill(pid, signal);
    for (let waited = 0; waited < 15_000 && isOurs(); waited += 50) await sleep(50);
  }
}

async function ready(url: string, server: Child, logFile: string, say: (what: string) => void): Promise<void> {
  const exit = server.exited.then((how) => {
    throw new Error(`PostgreSQL ended at start (${how}):\n${logTail(logFile)}`);
  });
  exit.catch(() => {});
  for (let tries = 0; ; tries++) {
    const client = newConnection(url);
    client.on('error', () => {});
    try {
      await Promise.race([client.connect(), exit]);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      // 57P03: still starting up, which after a crash means reading the log again and may take minutes.
      if (code !== 'ECONNREFUSED' && code !== '57P03') throw error;
      if (tries === 100) say('waiting for the database to recover from its log');
    } finally {
      await client.end().catch(() => {});
    }
    await Promise.race([sleep(50), exit]);
  }
}

async function makeDatabase(adminUrl: string, password: string): Promise<void> {
  const client = newConnection(adminUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = 'campaign') as role, exists (select from pg_database where datname = 'campaign') as database`,
    );
    if (!rows[0]?.role) await client.query(`create role campaign login createdb createrole password ${client.escapeLiteral(password)}`);
    if (!rows[0]?.database) {
      await closeLargeObjects(adminUrl);
      await client.query('create database campaign owner campaign');
    }
    // What the login of reports is given (core/reports/report-role.ts). A standby has it from its primary, and takes no changes.
    const granted = await client.query<{ yes: boolean }>(`select has_parameter_privilege('campaign', 'temp_file_limit', 'set') as yes`);
    if (!granted.rows[0]?.yes) await client.query('grant set on parameter temp_file_limit to campaign');
  } finally {
    await client.end();
  }
}

/** Anybody may make large objects, and only the superuser can take that from them: in the database all others are copied from. */
async function closeLargeObjects(adminUrl: string): Promise<void> {
  const client = newConnection(Object.assign(new URL(adminUrl), { pathname: '/template1' }).href);
  await client.connect();
  try {
    await client.query(
      `revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea), lo_open(oid, integer), lo_put(oid, bigint, bytea), lo_unlink(oid) from public`,
    );
  } finally {
    await client.end();
  }
}
