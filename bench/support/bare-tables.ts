import type pg from 'pg';

interface Taken {
  table: string;
  name: string;
  /** Statement that puts it back. */
  back: string;
}

/** Statements of which each needs what those before it made. */
export type Chain = readonly string[];

/** Runs all that is asked for, in as many lanes as there are connections: who is done takes the next chain. */
export async function inLanes(clients: readonly pg.ClientBase[], chains: readonly Chain[]): Promise<void> {
  const left = [...chains];
  const lane = async (client: pg.ClientBase) => {
    for (let chain = left.shift(); chain; chain = left.shift()) for (const statement of chain) await client.query(statement);
  };
  await Promise.all(clients.map(lane));
}

/**
 * Runs `work` on tables without their foreign keys and without indexes but those of constraints, which are put back afterwards: rows by the million go in several
 * times as fast. Foreign keys come back unchecked, the indexes on all connections side by side.
 */
export async function onBareTables(
  clients: readonly [pg.ClientBase, ...pg.ClientBase[]],
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const [client] = clients;
  const [keys, indexes] = [await read(client, KEYS, tables), await read(client, INDEXES, tables)];
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint "${name}"`);
  for (const { name } of indexes) await client.query(`drop index "${name}"`);
  await work();
  await inLanes(
    clients,
    indexes.map(({ back }) => [back]),
  );
  for (const { back } of keys) await client.query(back);
}

const read = async (client: pg.ClientBase, statement: string, tables: readonly string[]): Promise<Taken[]> =>
  (await client.query<Taken>(statement, [tables])).rows;

const KEYS = `
  select conrelid::regclass::text as table, conname as name,
    format('alter table %s add constraint %I %s not valid', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back
  from pg_constraint where contype = 'f' and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1))`;

const INDEXES = `
  select indrelid::regclass::text as table, indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as back from pg_index i
  where indrelid::regclass::text = any($1) and not exists (select from pg_constraint where conindid = i.indexrelid)`;
