import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import type { Identity } from './authority.ts';

const PROGRAM = process.env['PGBOUNCER_PATH'] ?? 'pgbouncer';
/** The first that keeps prepared statements. */
const NEEDED = [1, 21];

/** Why no pooler can be started here; null when one can. PGBOUNCER_PATH names one that is not on the path. */
export function whyNoPooler(): string | null {
  try {
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' })) ?? [];
    const enough = Number(major) > NEEDED[0]! || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]!);
    return enough ? null : `pgbouncer is ${major}.${minor}, and has to be ${NEEDED.join('.')}`;
  } catch {
    return 'pgbouncer is not installed (PGBOUNCER_PATH names one)';
  }
}

/**
 * pgbouncer before a database, giving each transaction any of its few connections.
 * @param folder which other users may read
 * @param url of the database
 * @param logins passwords by name
 * @param settings over these
 * @param identity with it everybody has to be encrypted who comes, and the database is asked with encryption
 * @returns the address of the database through it
 */
export async function startPooler(
  folder: string,
  url: string,
  logins: Record<string, string>,
  settings: Record<string, string> = {},
  identity?: Identity,
): Promise<Child & { url: string }> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const users = join(folder, 'users.txt');
  writeFileSync(
    users,
    Object.entries(logins)
      .map(([name, password]) => `"${name}" "${password}"\n`)
      .join(''),
  );
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    default_pool_size: 4,
    max_client_conn: 500,
    max_prepared_statements: 200,
    server_login_retry: 1,
    // Who may ask who is connected.
    stats_users: Object.keys(logins)[0]!,
    ...(identity && encryption(identity)),
    ...settings,
  };
  const { hostname, port: serverPort } = new URL(url);
  const file = join(folder, 'pgbouncer.ini');
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(file, `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('\n')}\n`);
  for (const path of [users, file, ...(identity ? [identity.keyFile] : [])]) chmodSync(path, 0o644);
  // It refuses to run as root.
  const args = process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file];
  const pooler = await startChild({ command: PROGRAM, args, logFile: join(folder, 'pgbouncer.log'), stopSignal: 'SIGINT' });
  while (!(await listens(port))) await sleep(20);
  return { ...pooler, url: Object.assign(new URL(url), { port: String(port) }).href };
}

const encryption = ({ keyFile, certFile, authorityFile }: Identity) => ({
  client_tls_sslmode: 'require',
  client_tls_key_file: keyFile,
  client_tls_cert_file: certFile,
  server_tls_sslmode: 'verify-full',
  server_tls_ca_file: authorityFile,
});

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
