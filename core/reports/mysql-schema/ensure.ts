import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientBase, escapeIdentifier, escapeLiteral } from '../../../db/driver.ts';

// Schema mysql: what statements in MySQL's dialect find first. It gives nothing that schema report does not: the same tables with texts that compare
// as MySQL's do, and functions of values.

const SOURCE = ['functions.sql', 'operators.sql'].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n');
const name = escapeIdentifier;

/** Makes the schema, or brings it up to date, in the caller's transaction; the views of schema report are there. @param role that may use it */
export async function ensureMysqlSchema(client: ClientBase, role: string): Promise<void> {
  const tables = await foldedTables(client);
  // A view of ours goes with the one it reads from, so its columns say whether it has to be made again.
  const wanted = createHash('sha256')
    .update(JSON.stringify([SOURCE, tables]))
    .digest('hex');
  const { rows } = await client.query<{ made: string | null; views: number }>(
    `select obj_description(oid, 'pg_namespace') as made, (select count(*)::int from pg_class where relnamespace = n.oid and relkind = 'v') as views
     from pg_namespace n where nspname = 'mysql'`,
  );
  if (rows[0]?.made !== wanted || rows[0].views !== tables.length) await makeSchema(client, tables, wanted);
  await client.query(`grant usage on schema mysql to ${name(role)}`);
  await client.query(`grant select on all tables in schema mysql to ${name(role)}`);
  await client.query(`grant execute on all functions in schema mysql to ${name(role)}`);
}

interface Table {
  table: string;
  columns: string;
}

async function makeSchema(client: ClientBase, tables: Table[], wanted: string): Promise<void> {
  await client.query('drop schema if exists mysql cascade');
  await client.query('create schema mysql');
  // Bodies are bound to what they name as they are made: to nothing of anybody else's.
  await client.query('set local search_path = pg_catalog');
  await client.query(SOURCE);
  for (const { table, columns } of tables) {
    await client.query(`create view mysql.${name(table)} with (security_barrier) as select ${columns} from report.${name(table)}`);
  }
  await client.query('set local search_path = public');
  await client.query(`comment on schema mysql is ${escapeLiteral(wanted)}`);
}

/** Tables with texts, whose columns compare without regard to case and accents. */
async function foldedTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as table, string_agg(case when a.atttypid = 'text'::regtype then format('%1$I collate mysql.ci as %1$I', attname)
       else quote_ident(attname) end, ', ' order by attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and attnum > 0 and not attisdropped
     where relnamespace = 'report'::regnamespace and relkind = 'v'
     group by c.oid having bool_or(a.atttypid = 'text'::regtype) order by 1`,
  );
  return rows;
}
