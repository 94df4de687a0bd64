import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Client, copyTo, newConnection } from '../../db/driver.ts';
import { MAY_WAIT, WITHOUT_LIMITS } from '../../db/no-limits.ts';
import { isDiskFull } from '../../domain/disk-full.ts';
import { BackupError, fileOf, MANIFEST, type Manifest, quoted, tableWriter, writeManifest } from './format.ts';

/** @throws BackupError when the folder is there and not empty; EEXIST when it is a file */
export function takeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length) throw new BackupError(`${folder} is not empty`);
}

/**
 * Writes everything in the database into a folder, one file for each table, as of one moment: all tables are read in one snapshot, while the platform
 * goes on. Rows are streamed; memory does not grow with them.
 * @param folder made when it is not there; must be empty
 * @throws BackupError when the folder is not empty or another backup is being written there, the database was never migrated, or the disk is full: what was written is then gone again
 */
export async function writeBackup(databaseUrl: string, folder: string): Promise<Manifest> {
  takeFolder(folder);
  const client = newConnection(databaseUrl);
  await client.connect();
  const begun: string[] = [];
  try {
    // Deferrable is for serializable only; a repeatable read sees one moment as well, and waits for nobody.
    await client.query(`begin transaction isolation level repeatable read read only; ${MAY_WAIT}`);
    await client.query(WITHOUT_LIMITS);
    const manifest: Manifest = {
      format: 1,
      takenAt: new Date().toISOString(),
      migrations: await migrationsOf(client),
      tables: [],
      sequences: await sequencesOf(client),
    };
    for (const { name, columns } of await tablesOf(client)) {
      const copy = copyTo(`copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`);
      begun.push(fileOf(folder, name));
      await pipeline(client.query(copy), ...tableWriter(folder, name));
      manifest.tables.push({ name, columns, rows: copy.rowCount });
    }
    await client.query('commit');
    begun.push(join(folder, MANIFEST));
    writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Two that found it empty: the file is of the one that came first, and stays.
    if (code === 'EEXIST') begun.pop();
    for (const file of begun) rmSync(file, { force: true });
    if (code === 'EEXIST') throw new BackupError(`Another backup is being written into ${folder}`);
    if (!isDiskFull(error)) throw error;
    throw new BackupError(`There is no room for the backup on the disk of ${folder}; what was written of it is removed`);
  } finally {
    await client.end();
  }
}

async function migrationsOf(client: Client): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('public.schema_migration') as known`);
  if (!found[0].known) throw new BackupError('The database has no tables of the platform');
  const { rows } = await client.query<{ name: string }>('select name from public.schema_migration order by id');
  return rows.map(({ name }) => name);
}

async function tablesOf(client: Client): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await client.query(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
    group by c.relname order by c.relname`);
  return rows;
}

async function sequencesOf(client: Client): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  );
  const sequences: Manifest['sequences'] = [];
  for (const { name } of rows) {
    const { rows: at } = await client.query(`select last_value as last, is_called as called from public.${quoted(name)}`);
    sequences.push({ name, last: at[0].last, called: at[0].called });
  }
  return sequences;
}
