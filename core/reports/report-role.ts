import { REPORT_CONNECTIONS } from '../../config/connection-budget.ts';
import { SettingError } from '../../config/env.ts';
import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient } from '../../db/driver.ts';
import { WITHOUT_LIMITS } from '../../db/no-limits.ts';
import { type ReportSettings, REPORT_ROLE as ROLE, reportDatabaseUrl, rolePassword } from '../../db/report-login.ts';
import { ensureMysqlSchema } from './mysql-schema/ensure.ts';
import { OTHER_NAMES, REPORT_COLUMNS, REPORT_QUERIES } from './report-public-names.ts';
import { REPORT_TABLES, type ReportTable } from './report-views.ts';

// The wall around ad-hoc SQL: a login of its own. `SET ROLE` is none, since one statement can climb back over it (set_config plus query_to_xml).
// The login owns nothing, may not look into schema public, and sees the views of schema report alone; everything else here only keeps
// a careless statement from doing harm.

/** What waits for a lock holds up everybody who comes after it. */
const LOCK_LIMIT = '5s';
/** Of one statement: what sorts and series too large for memory may write. */
const TEMPORARY_FILES = '4GB';

/**
 * Makes the restricted login and what it may see, or brings both up to date; to be run after every migration. With REPORT_DATABASE_URL the
 * role it names has to exist and is only given its views.
 * @throws SettingError that says what to do when the login of DATABASE_URL may not create roles; PostgreSQL's 55P03 when a report is being read for longer than a few seconds
 */
export async function ensureReportRole(pool: Pool, settings: ReportSettings): Promise<void> {
  const role = settings.REPORT_DATABASE_URL ? decodeURIComponent(new URL(reportDatabaseUrl(settings)).username) : ROLE;
  const client = await pool.connect();
  try {
    if (!settings.REPORT_DATABASE_URL) await ensureLogin(client, role, settings);
    await client.query('begin');
    await client.query(WITHOUT_LIMITS);
    await client.query(`set local lock_timeout = '${LOCK_LIMIT}'`);
    // Several processes may start at once on one database: the catalogue rows below cannot be written side by side.
    await client.query('lock table schema_migration in share row exclusive mode');
    await closeDoors(client, role);
    await ensureViews(client, role);
    await ensureMysqlSchema(client, role);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Takes the views away, in the transaction of a migration that may change columns they show; `ensureReportRole` makes them again. */
export async function dropReportViews(run: (statement: string) => Promise<unknown>): Promise<void> {
  await run('drop schema if exists mysql cascade; drop schema if exists report cascade');
}

const name = escapeIdentifier;

async function ensureLogin(client: PoolClient, role: string, settings: ReportSettings): Promise<void> {
  const { rows } = await client.query<{ database: string; exists: boolean }>(
    'select current_database() as database, exists (select from pg_roles where rolname = $1) as exists',
    [role],
  );
  const { database = '', exists = false } = rows[0] ?? {};
  const password = escapeLiteral(rolePassword(settings));
  const attributes = `login nosuperuser nocreatedb nocreaterole noreplication nobypassrls noinherit connection limit ${REPORT_CONNECTIONS}`;
  try {
    if (!exists) await tolerant(client, `create role ${name(role)} ${attributes} password ${password}`, ['42710', '23505']);
    await again(client, `alter role ${name(role)} password ${password}`);
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new SettingError(
      `The login of DATABASE_URL may not create or change the role ${role} for ad-hoc SQL: give it CREATEROLE, or create a login of your own with no rights and name it in REPORT_DATABASE_URL`,
      { cause: error },
    );
  }
  const session = {
    search_path: 'report',
    default_transaction_read_only: 'on',
    statement_timeout: String(settings.STATEMENT_TIMEOUT_MS),
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '60s',
    client_connection_check_interval: '2s',
  };
  for (const [setting, value] of Object.entries(session)) {
    await again(client, `alter role ${name(role)} in database ${name(database)} set ${setting} = ${escapeLiteral(value)}`);
  }
  // Only a superuser may set this, or who was granted it; without it a statement may fill the disk until its time is over.
  await again(client, `alter role ${name(role)} in database ${name(database)} set temp_file_limit = '${TEMPORARY_FILES}'`).catch(
    (error: { code?: string }) => {
      if (error.code !== '42501') throw error;
    },
  );
}

async function tolerant(client: PoolClient, statement: string, codes: string[]): Promise<void> {
  await client.query(statement).catch((error: { code?: string }) => {
    if (!codes.includes(error.code ?? '')) throw error;
  });
}

/**
 * Roles belong to the whole server; another process at the same row makes PostgreSQL give up with "tuple concurrently updated", or, for the first
 * setting of a role in a database, with a key that is there already.
 */
async function again(client: PoolClient, statement: string, tries = 10): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (!['XX000', '23505'].includes((error as { code?: string }).code ?? '') || tries === 1) throw error;
    await again(client, statement, tries - 1);
  }
}

/** What everybody may do by default on this database and this role does not need; and that it is let in. Rights another owner gave are beyond our reach: a warning to us, no error. */
async function closeDoors(client: PoolClient, role: string): Promise<void> {
  const { rows } = await client.query<{ database: string; login: string; superuser: boolean }>(
    'select current_database() as database, current_user as login, rolsuper as superuser from pg_roles where rolname = current_user',
  );
  const { database = '', login = '', superuser = false } = rows[0] ?? {};
  // Named first, lest the login of ours loses with PUBLIC what its rebuilds need.
  await client.query(`grant temporary on database ${name(database)} to ${name(login)}`);
  await client.query(`revoke create, temporary on database ${name(database)} from public`);
  // Which many an operator has taken from PUBLIC.
  await client.query(`grant connect on database ${name(database)} to ${name(role)}`);
  await client.query(`grant usage, create on schema public to ${name(login)}`);
  await client.query('revoke all on schema public from public');
  await client.query('revoke execute on all routines in schema public from public');
  await client.query('alter default privileges revoke execute on routines from public');
  await client.query(`revoke all on schema public from ${name(role)}`);
  await client.query(`revoke all on all tables in schema public from ${name(role)}`);
  await client.query(`revoke all on all sequences in schema public from ${name(role)}`);
  // Large objects can be made without any right; only a superuser can take that from PUBLIC. Nothing of ours uses them.
  if (superuser) await client.query(`do $$ declare f regprocedure; begin ${REVOKE_LARGE_OBJECTS} end $$`);
}

const REVOKE_LARGE_OBJECTS = `
  for f in select oid::regprocedure from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo_|lowrite|loread)' loop
    execute format('revoke execute on function %s from public', f);
  end loop;`;

/** Views are made anew only when they differ: replacing one waits for every report that is reading it. */
async function ensureViews(client: PoolClient, role: string): Promise<void> {
  await client.query('create schema if not exists report');
  const tables = new Map(await tableViews(client, REPORT_TABLES));
  const again = Object.entries(OTHER_NAMES).map(([other, table]) => [other, tables.get(table)!] as const);
  const wanted = new Map([...tables, ...Object.entries(REPORT_QUERIES), ...again]);
  const present = await client.query<{ view: string; comment: string | null }>(
    `select relname as view, obj_description(oid, 'pg_class') as comment from pg_class where relnamespace = 'report'::regnamespace and relkind = 'v'`,
  );
  for (const { view, comment } of present.rows) {
    if (wanted.get(view) === comment) wanted.delete(view);
    else await client.query(`drop view report.${name(view)} cascade`);
  }
  for (const [view, query] of wanted) {
    await client.query(`create view report.${name(view)} with (security_barrier) as ${query}`);
    await client.query(`comment on view report.${name(view)} is ${escapeLiteral(query)}`);
  }
  await client.query(`grant usage on schema report to ${name(role)}`);
  await client.query(`grant select on all tables in schema report to ${name(role)}`);
}

async function tableViews(client: PoolClient, tables: readonly ReportTable[]): Promise<[view: string, query: string][]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select table_name as table, array_agg(column_name::text order by ordinal_position) as columns
     from information_schema.columns where table_schema = 'public' and table_name = any($1) group by table_name`,
    [tables.map(({ table }) => table)],
  );
  const hidden = new Map(tables.map(({ table, hidden }) => [table, hidden]));
  return rows.map(({ table, columns }) => {
    const list = columns.filter((column) => !hidden.get(table)?.includes(column)).map((column) => name(column));
    const more = Object.entries(REPORT_COLUMNS[table] ?? {}).filter(
      ([column]) => !columns.includes(column) || hidden.get(table)?.includes(column),
    );
    return [
      table,
      `select ${[...list, ...more.map(([column, what]) => `${what} as ${name(column)}`)].join(', ')} from public.${name(table)} t`,
    ];
  });
}
