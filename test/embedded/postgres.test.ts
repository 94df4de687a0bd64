import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../embedded/postgres.ts';
import { postgresBinaries, restoreLinks } from '../../embedded/postgres-binaries.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';

async function query<T = Record<string, unknown>>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

/** A zombie nobody has collected yet does not run. */
const isRunning = (pid: number) => existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

describe('embedded PostgreSQL', () => {
  let folder: string;
  let server: PostgresServer | undefined;
  before(() => {
    folder = dataFolder();
  });
  afterEach(async () => {
    await server?.stop();
  });

  it('starts on an empty folder, with durability on, in UTF-8, on the loopback interface only', async () => {
    server = await startPostgres({ dataDir: folder });
    await query(server.url, `create table kept as select 'Grüße' as word`);
    const settings = await query<{ name: string; setting: string }>(
      server.url,
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'listen_addresses') order by name`,
    );
    assert.deepEqual(
      settings.map(({ setting }) => setting),
      ['on', 'on', '127.0.0.1', 'UTF8', 'on'],
    );
    assert.deepEqual(await query(server.url, `select lower('ÄÖÅ') as lower, current_setting('is_superuser') as superuser`), [
      { lower: 'äöå', superuser: 'off' },
    ]);
    assert.equal(statSync(join(folder, 'postgres/password')).mode & 0o777, 0o600);
    await assert.rejects(query(server.url.replace(/:[^:@]+@/, ':guess@'), 'select 1'), /password authentication failed/);
  });

  it('writes nothing of what statements and rows hold to its log', async () => {
    server = await startPostgres({ dataDir: folder });
    const { url } = server;
    await query(url, `create table people (email text primary key); insert into people values ('ann@private.test')`);
    for (const wrong of [
      `insert into people values ('ann@private.test')`,
      `select 'ann@private.test'::int`,
      `select * from nowhere where email = 'ann@private.test'`,
      `do $$ begin raise exception 'about ann@private.test'; end $$`,
      `do $$ begin raise warning 'about ann@private.test'; end $$`,
    ])
      await query(url, wrong).catch(() => {});
    const victim = new pg.Client({ connectionString: url });
    victim.on('error', () => {});
    await victim.connect();
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid');
    const running = victim.query(`select pg_sleep(20), 'ann@private.test'`).catch(() => {});
    await sleep(300);
    process.kill(rows[0]!.pid, 'SIGKILL');
    await running;
    await server.stop();
    const log = readFileSync(join(folder, 'postgres/server.log'), 'utf8');
    assert.match(log, /was terminated by signal 9/, 'what befalls the server is there');
    assert.doesNotMatch(log, /private\.test/);
  });

  it('keeps its data and its address over a SIGKILL of the server', async () => {
    server = await startPostgres({ dataDir: folder });
    const { url, pid, exited } = server;
    process.kill(pid, 'SIGKILL');
    assert.equal(await exited, 'signal SIGKILL');
    server = await startPostgres({ dataDir: folder });
    assert.equal(server.url, url);
    assert.deepEqual(await query(url, 'select word from kept'), [{ word: 'Grüße' }]);
  });

  it('ends when the process that started it is killed, and the next one takes the folder up', async () => {
    const module = join(import.meta.dirname, '../../embedded/postgres.ts');
    const code = `import { startPostgres } from ${JSON.stringify(module)};
      console.log((await startPostgres({ dataDir: ${JSON.stringify(folder)} })).pid); setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) => starter.stdout.once('data', (text) => resolve(Number(text))));
    assert.ok(isRunning(pid));
    starter.kill('SIGKILL');
    server = await startPostgres({ dataDir: folder });
    assert.ok(!isRunning(pid) && server.pid !== pid);
    assert.deepEqual(await query(server.url, 'select word from kept'), [{ word: 'Grüße' }]);
  });

  it('takes up an initialisation that was cut short', async () => {
    const fresh = dataFolder();
    mkdirSync(join(fresh, 'postgres/data.new/base'), { recursive: true });
    server = await startPostgres({ dataDir: fresh });
    assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  });

  it('says why when it cannot start', async () => {
    await assert.rejects(
      startPostgres({ dataDir: folder, parameters: { shared_buffers: 'plenty' } }),
      /invalid value for parameter "shared_buffers"/,
    );
  });

  it('restores the links its package cannot carry when install scripts were blocked', () => {
    const home = dataFolder();
    mkdirSync(join(home, 'native/lib'), { recursive: true });
    writeFileSync(join(home, 'native/lib/libpq.so.5.18'), 'library');
    writeFileSync(join(home, 'native/pg-symlinks.json'), '[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]');
    restoreLinks(home);
    restoreLinks(home);
    assert.equal(readFileSync(join(home, 'native/lib/libpq.so.5'), 'utf8'), 'library');
    assert.match(execFileSync(postgresBinaries().postgres, ['--version'], { encoding: 'utf8' }), /PostgreSQL\) 18\./);
  });

  it('gives each test a migrated database of its own', async () => {
    const [other, url] = [await createDatabase(), await createDatabase()];
    await query(other, `insert into core_user (email) values ('ann@example.org')`);
    assert.deepEqual(await query(url, 'select count(*)::int as count from core_user'), [{ count: 0 }]);
  });
});
