import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startChild } from '../../embedded/child.ts';
import { runProgram } from '../../embedded/programs.ts';
import { connectOrm } from '../../entities/orm.ts';
import { migrations } from '../../migrations/index.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

/** A database as it was before the last of the migrations. @returns its address */
async function before(name: string, migration: string): Promise<string> {
  const made = await createDatabase();
  const client = new pg.Client({ connectionString: made });
  await client.connect();
  await client.query(`create database ${name} template template0`);
  await client.end();
  const url = Object.assign(new URL(made), { pathname: `/${name}` }).href;
  const orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
  await orm.migrator.up({ to: migration });
  await orm.close(true);
  return url;
}

describe('npm run migrate', () => {
  it('holds up nobody for long while a table is in use that it changes, and goes on when it is not any more', async () => {
    const url = await before('of_an_earlier_release', migrations.at(-2)!.name);
    const user = new pg.Client({ connectionString: url });
    await user.connect();
    atEnd(() => user.end());
    await user.query('begin');
    await user.query('lock table schema_migration in share mode');

    const { address, namespace } = await createNamespace();
    const logFolder = dataFolder();
    const env = { ...process.env, DATABASE_URL: url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DATA_DIR: dataFolder() };
    let over = false;
    const migrating = runProgram('migrate', { logFolder, env }).finally(() => {
      over = true;
    });
    const log = () => readFileSync(join(logFolder, 'migrate.log'), 'utf8');
    await sleep(500);
    while (!/tables are in use/.test(log())) {
      assert.ok(!over, log());
      await sleep(50);
    }
    const { rows } = await user.query('select count(*)::int as run from schema_migration');
    assert.equal(rows[0].run, migrations.length - 1);
    await user.query('commit');
    await migrating;
    const done = await user.query('select count(*)::int as run from schema_migration');
    assert.equal(done.rows[0].run, migrations.length);
    assert.equal((await user.query(`select from pg_views where schemaname = 'report'`)).rowCount! > 0, true);
  });

  it('keeps what is in when a later one fails, and goes on with that one', async () => {
    const url = await before('of_a_release_before', migrations.at(-3)!.name);
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    atEnd(() => owner.end());
    const run = async () =>
      (await owner.query<{ name: string }>('select name from schema_migration order by id')).rows.map(({ name }) => name);
    const names = migrations.map(({ name }) => name);
    // The last one makes it.
    await owner.query('create table core_donationtally ()');
    const { address, namespace } = await createNamespace();
    const env = { ...process.env, DATABASE_URL: url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DATA_DIR: dataFolder() };
    await assert.rejects(runProgram('migrate', { logFolder: dataFolder(), env }), /core_donationtally/);
    assert.deepEqual(await run(), names.slice(0, -1));
    await owner.query('drop table core_donationtally');
    await runProgram('migrate', { logFolder: dataFolder(), env });
    assert.deepEqual(await run(), names);
  });

  it('says in a sentence what its login lacks: the database, or the right to make the login of reports', async () => {
    const url = await before('of_somebody_else', migrations.at(-2)!.name);
    const admin = new pg.Client({ connectionString: Object.assign(new URL(url), { username: 'postgres' }).href });
    await admin.connect();
    atEnd(() => admin.end());
    await admin.query(`create role guest login password 'x'`);
    await admin.query('create database of_guest owner guest template template0');
    const said = (database: string) => {
      const place = Object.assign(new URL(url), { username: 'guest', password: 'x', pathname: `/${database}` }).href;
      const env = { ...process.env, DATABASE_URL: place, TEMPORAL_ADDRESS: '127.0.0.1:1', DATA_DIR: dataFolder() };
      return runProgram('migrate', { logFolder: dataFolder(), env }).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
    };
    const [others, own] = [await said('of_somebody_else'), await said('of_guest')];
    assert.match(others, /DATABASE_URL: its login may not do that \(permission denied .*\): it has to own the database/);
    assert.match(own, /The login of DATABASE_URL may not create or change the role campaign_report/);
    for (const each of [others, own]) assert.doesNotMatch(each, /"stack"| {4}at /);
  });

  it('does not end as if it were done when it is ended before', async () => {
    const url = await before('of_a_release_whose_migration_was_ended', migrations.at(-2)!.name);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    atEnd(() => other.end());
    await other.query(`begin; select pg_advisory_xact_lock(hashtext('campaign-platform migration'))`);
    const logFile = join(dataFolder(), 'migrate.log');
    const env = { ...process.env, DATABASE_URL: url, TEMPORAL_ADDRESS: '127.0.0.1:1', DATA_DIR: dataFolder() };
    const migrating = await startChild({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../bin/migrate.ts')],
      logFile,
      stopSignal: 'SIGTERM',
      env,
    });
    // Of this database alone: beside it there may be those of other tests. Activity stays as it was when it was first read in a transaction; locks do not.
    const waiting = `select from pg_locks l join pg_database d on d.oid = l.database where datname = current_database() and locktype = 'advisory' and not granted`;
    const waits = async () => (await other.query(waiting)).rowCount! > 0;
    let over = false;
    void migrating.exited.then(() => {
      over = true;
    });
    while (!(await waits())) {
      assert.ok(!over, readFileSync(logFile, 'utf8'));
      await sleep(50);
    }
    await migrating.stop();
    assert.equal(await migrating.exited, 'code 1', readFileSync(logFile, 'utf8'));
    assert.match(readFileSync(logFile, 'utf8'), /ended before it was done: run it again/);
  });
});
