import assert from 'node:assert/strict';
import pg from 'pg';
import { dropReportViews, ensureReportRole } from '../../../core/reports/report-role.ts';
import { REPORT_TABLES, UNREPORTED_TABLES } from '../../../core/reports/report-views.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { entities } from '../../../entities/index.ts';
import { connectOrm } from '../../../entities/orm.ts';
import { createDatabase } from '../../support/database.ts';
import { insertPeople } from '../../support/people.ts';

describe('the login of ad-hoc SQL', () => {
  let pool: pg.Pool;
  let client: pg.Client;
  let attacker: pg.Client;
  let settings: { DATABASE_URL: string; SECRET_KEY: string; STATEMENT_TIMEOUT_MS: number };

  before(async () => {
    settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 500 };
    pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 4 });
    await Promise.all([ensureReportRole(pool, settings), ensureReportRole(pool, settings)]);
    await ensureReportRole(pool, settings);
    await insertPeople(pool, [{ id: 1, email: 'ann@example.org', state: 'NY' }]);
    await pool.query(`insert into auth_user (username, password) values ('root', 'hash')`);
    [client, attacker] = [reader(), reader()];
    for (const each of [client, attacker]) await each.connect();
    // What may be read is, on a busy machine too; how long that may take is tried by the attacks.
    await client.query('set statement_timeout = 0');
  });
  after(async () => {
    for (const each of [client, attacker]) await each.end();
    await pool.end();
  });

  const reader = () => new pg.Client({ connectionString: reportDatabaseUrl(settings) });
  const read = (text: string, by = client) => by.query({ text, rowMode: 'array' } as pg.QueryArrayConfig).then(({ rows }) => rows);

  it('reads the views under the names of the tables', async () => {
    assert.deepEqual(await read('select id, email, state from core_user'), [[1, 'ann@example.org', 'NY']]);
    assert.deepEqual(await read('select count(*)::int from core_mailing join core_usermailing on mailing_id = core_mailing.id'), [[0]]);
  });

  it('reads every table declared for it', async () => {
    for (const { table } of REPORT_TABLES) await read(`select * from ${table} limit 1`);
  });

  it('shows no column that sounds like a secret', async () => {
    const columns = await read(`select table_name || '.' || column_name from information_schema.columns where table_schema = 'report'`);
    assert.ok(columns.length > 100);
    assert.deepEqual(
      columns.flat().filter((column) => /password|token|secret|hash/.test(String(column))),
      [],
    );
  });

  it('has a decision about every table there is', async () => {
    const orm = await connectOrm({ DATABASE_URL: settings.DATABASE_URL, DATABASE_POOL: 1 });
    const tables = [...orm.getMetadata().getAll().values()].map((meta) => meta.tableName);
    await orm.close();
    assert.ok(tables.length >= entities.length);
    const decided = [...REPORT_TABLES.map(({ table }) => table), ...UNREPORTED_TABLES];
    assert.deepEqual([...new Set(tables)].sort(), decided.sort());
  });

  it('is let into a database that lets nobody in unless they are named', async () => {
    const { rows } = await pool.query('select current_database() as name');
    await pool.query(`revoke connect on database ${rows[0].name} from public`);
    await ensureReportRole(pool, settings);
    const another = new pg.Client({ connectionString: reportDatabaseUrl(settings) });
    await another.connect();
    await another.end();
  });

  it('follows a change of the declared tables', async () => {
    await pool.query(`alter table core_tag add column extra text`);
    await ensureReportRole(pool, settings);
    await read('select extra from core_tag');
    await dropReportViews((statement) => pool.query(statement));
    await pool.query(`alter table core_tag drop column extra`);
    await ensureReportRole(pool, settings);
    await assert.rejects(read('select extra from core_tag'), /does not exist/);
  });

  // Each of these gets somewhere on a database where the wall is only SET ROLE, a parser, or nothing.
  const attacks: [what: string, statement: string][] = [
    ['read the accounts', 'select password from auth_user'],
    ['read them by their full name', 'select password from public.auth_user'],
    ['read a base table past its view', 'select ip_address from public.core_action'],
    ['read the ledger', 'select * from public.send_accepted'],
    ['read password hashes of the server', 'select rolpassword from pg_authid'],
    ['read them another way', 'select passwd from pg_shadow'],
    ['become the owner', `select set_config('role', 'campaign', false)`],
    [
      'become the owner and read in one statement',
      `select set_config('role', 'campaign', false), query_to_xml('select * from public.auth_user', true, false, '')`,
    ],
    ['become somebody else', `select set_config('session_authorization', 'postgres', false)`],
    ['read through another function', `select query_to_xml('select password from public.auth_user', true, false, '')`],
    ['dump a table through a function', `select table_to_xml('public.auth_user', true, false, '')`],
    ['read a file', `select pg_read_file('/etc/passwd')`],
    ['read a binary file', `select pg_read_binary_file('PG_VERSION')`],
    ['list a folder', `select pg_ls_dir('.')`],
    ['read the rules of access', 'select * from pg_hba_file_rules'],
    ['import a file', `select lo_import('/etc/passwd')`],
    ['export a file', `select lo_export(1, '/tmp/x')`],
    ['make a large object', 'select lo_create(0)'],
    ['fill a large object', `select lo_from_bytea(0, 'x')`],
    ['run a program', `copy (select 1) to program 'id'`],
    ['write a file', `copy (select 1) to '/tmp/x'`],
    ['dial out', `select dblink('dbname=postgres', 'select 1')`],
    ['install an extension', 'create extension dblink'],
    ['load a library', `load 'dblink'`],
    ['write', `update core_user set email = 'x'`],
    ['delete behind a WITH', 'with gone as (delete from core_user returning 1) select * from gone'],
    ['insert into a base table', `insert into public.core_tag (name) values ('x')`],
    ['move a sequence', `select nextval('public.core_user_id_seq')`],
    ['lock', 'select * from core_user for update'],
    ['make a table', 'create table report.mine (id int)'],
    ['make a temporary table', 'create temporary table mine (id int)'],
    ['make a function', `create function report.f() returns int language sql as 'select 1'`],
    ['write in a block', `do $$ begin delete from public.core_user; end $$`],
    ['dump the schema', `select schema_to_xml('public', true, false, '')`],
    ['reload the settings', 'select pg_reload_conf()'],
    ['switch the log', 'select pg_switch_wal()'],
    ['make itself more', 'alter role campaign_report superuser'],
    ['sleep', 'select pg_sleep(5)'],
    ['sleep after lifting the limit', `select set_config('statement_timeout', '0', false), pg_sleep(5)`],
    ['count for ever', 'with recursive x as (select 1 as n union all select n + 1 from x) select max(n) from x'],
    [
      'write after lifting read-only',
      `select set_config('default_transaction_read_only', 'off', false), nextval('public.core_user_id_seq')`,
    ],
  ];
  for (const [what, statement] of attacks) {
    it(`may not ${what}`, async () => {
      const started = Date.now();
      await assert.rejects(read(statement, attacker), (error: pg.DatabaseError) => {
        assert.match(
          String(error.message),
          /permission denied|does not exist|must be superuser|read-only|statement timeout|must be owner|is not allowed/,
        );
        return true;
      });
      assert.ok(Date.now() - started < 20_000);
      assert.deepEqual((await pool.query('select count(*)::int as people from core_user')).rows, [{ people: 1 }]);
    });
  }

  it('sees nothing where it is let through', async () => {
    assert.deepEqual(await read(`select * from pg_stats where schemaname = 'public'`), []);
    const others = `select pid, query from pg_stat_activity where usename = 'campaign' and datname = current_database()`;
    await pool.query('select 1');
    const seen = await read(others);
    assert.ok(seen.length > 0);
    assert.ok(seen.every(([, query]) => query === '<insufficient privilege>'));
  });

  it('cannot end a connection of ours', async () => {
    await pool.query('select 1');
    await assert.rejects(
      read(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'campaign' and datname = current_database()`),
      /permission denied/,
    );
  });

  it('is told apart from other installations by the secret key', async () => {
    const other = new pg.Client({ connectionString: reportDatabaseUrl({ ...settings, SECRET_KEY: 'another' }) });
    await assert.rejects(other.connect(), /password authentication failed/);
  });
});
