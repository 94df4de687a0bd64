import { pipeline } from 'node:stream/promises';
import { type Client, copyFrom, newConnection } from '../../db/driver.ts';
import { MAY_WAIT, WITHOUT_LIMITS } from '../../db/no-limits.ts';
import { settleLogin } from '../../db/own-login.ts';
import { checkServer } from '../../db/server-version.ts';
import { connectOrm } from '../../entities/orm.ts';
import { migrations } from '../../migrations/index.ts';
import { BackupError, type Manifest, quoted, readManifest, tableReader } from './format.ts';
import { type Held, holdSends } from './hold-sends.ts';
import { leaveNumbersOut } from './leave-numbers-out.ts';
import { refuseUsed } from './refuse-used.ts';

export interface Restored {
  manifest: Manifest;
  /** What was under way when the backup was taken, and was put where an operator decides; null when it was left to go on. */
  held: Held | null;
}

/**
 * Puts a backup into an empty database: the tables of the version that wrote it, all rows in one transaction, then the migrations since. After a
 * failure there are empty tables at most: drop the database and begin anew.
 * @param goOn whether sends under way go on by themselves, and numbers where the backup left them; see holdSends() for when that is right
 * @throws BackupError when the folder holds no whole backup or files of several, the database is not empty, or the backup is of a newer version
 */
export async function loadBackup(databaseUrl: string, folder: string, goOn = false): Promise<Restored> {
  const manifest = readManifest(folder);
  const known = migrations.map(({ name }) => name);
  const unknown = manifest.migrations.filter((name) => !known.includes(name));
  if (unknown.length) throw new BackupError(`The backup is of a newer version: this one does not know ${unknown.join(', ')}`);
  await checkServer(databaseUrl);
  await settleLogin(databaseUrl);
  const client = newConnection(databaseUrl);
  await client.connect();
  try {
    await refuseUsed(client);
    await migrate(databaseUrl, manifest.migrations);
    await client.query(`begin; ${MAY_WAIT}`);
    await client.query(WITHOUT_LIMITS);
    await loadRows(client, folder, manifest);
    const held = goOn ? null : await holdSends(client, manifest.takenAt);
    if (!goOn) await leaveNumbersOut(client);
    await forgetTransactions(client, manifest);
    await client.query('commit');
    await client.query(`begin; ${WITHOUT_LIMITS}; analyze; commit`);
    await migrate(databaseUrl);
    return { manifest, held };
  } finally {
    await client.end();
  }
}

/** What fast rebuilds compare are transaction numbers, which begin anew in another cluster: the next rebuild of each mailing is a full one. Versions before have no such tables. */
async function forgetTransactions(client: Client, { tables }: Manifest): Promise<void> {
  for (const name of ['targeting_base', 'targeting_gone'])
    if (tables.some((table) => table.name === name)) await client.query(`truncate ${name}`);
}

/** @param names only these, all when absent */
async function migrate(databaseUrl: string, names?: string[]): Promise<void> {
  const orm = await connectOrm({ DATABASE_URL: databaseUrl, DATABASE_POOL: 2 });
  try {
    await orm.em.fork().transactional(async (em) => {
      await em.execute(WITHOUT_LIMITS);
      await orm.migrator.up({ ...(names && { migrations: names }), transaction: em.getTransactionContext()! });
    });
  } finally {
    await orm.close(true);
  }
}

/** Rows in any order of tables: foreign keys are put aside and come back, checked, when all rows are in. */
async function loadRows(client: Client, folder: string, { tables, sequences }: Manifest): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`);
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
  // Before anything is emptied: triggers would write down that it was.
  for (const { name } of tables) await client.query(`alter table public.${quoted(name)} disable trigger user`);
  // What migrations put in themselves is in the backup as well.
  await client.query(`truncate ${tables.map(({ name }) => `public.${quoted(name)}`).join(', ')}`);
  for (const { name, columns, rows } of tables) {
    const copy = client.query(copyFrom(`copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`));
    await pipeline(...tableReader(folder, name), copy).catch((error: NodeJS.ErrnoException) => {
      throw error.code?.startsWith('Z_') ? new BackupError(`The backup's file of ${name} is cut short or damaged`) : error;
    });
    if (copy.rowCount !== rows)
      throw new BackupError(
        `The backup's file of ${name} is not the one that was written with it: it has ${copy.rowCount} rows in place of ${rows}`,
      );
    await client.query(`alter table public.${quoted(name)} enable trigger user`);
  }
  for (const { name, last, called } of sequences) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [`public.${quoted(name)}`, last, called]);
  }
  for (const { table, name, definition } of keys) await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
}
