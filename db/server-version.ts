import { SettingError } from '../config/env.ts';
import { newConnection } from './driver.ts';
import { otherLetters } from './letters.ts';

/** Before it there is no any_value(), which statements in MySQL's dialect become. */
export const OLDEST = 16;

/** @param version `server_version_num`, such as 180004; @throws SettingError for one that statements cannot be run on */
export function refuseOldServer(version: number): void {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST) throw new SettingError(`DATABASE_URL leads to PostgreSQL ${major}: ${OLDEST} or later is needed`);
}

/**
 * @returns what is to be said of a database that is used all the same; null where that is nothing
 * @throws SettingError, before anything is written; not for the letters of one that has people in it by now
 */
export async function checkServer(databaseUrl: string): Promise<string | null> {
  const client = newConnection(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ version: number; made: boolean; login: string; placed: boolean }>(
      `select current_setting('server_version_num')::int as version, quote_ident(current_user) as login,
         exists (select from pg_tables where schemaname = 'public' and tablename = 'schema_migration') as made,
         coalesce((select has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create') or not pg_has_role(datdba, 'usage')
           from pg_namespace n, pg_database where nspname = 'public' and datname = current_database()), false) as placed`,
    );
    const { version, made, login, placed } = rows[0]!;
    refuseOldServer(version);
    // Whose database it is not is told that by PostgreSQL.
    if (!placed)
      throw new SettingError(
        `DATABASE_URL: its login may not make tables in a schema public of this database: create schema public authorization ${login}, or grant usage, create on schema public to ${login}`,
      );
    const others = await otherLetters(client);
    if (others?.everyday && !made) throw new SettingError(`DATABASE_URL: ${others.words}; docs/operations.md says how one is made`);
    return others && `DATABASE_URL: ${others.words}`;
  } finally {
    await client.end();
  }
}
