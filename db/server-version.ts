import { SettingError } from '../config/env.ts';
import { newConnection } from './driver.ts';
import { otherLetters } from './letters.ts';

/** Before it there is no any_value(), which statements in MySQL's dialect become. */
const OLDEST = 16;

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
    const { rows } = await client.query<{ version: number; made: boolean }>(
      `select current_setting('server_version_num')::int as version, to_regclass('public.schema_migration') is not null as made`,
    );
    const { version, made } = rows[0]!;
    refuseOldServer(version);
    const others = await otherLetters(client);
    if (others?.everyday && !made) throw new SettingError(`DATABASE_URL: ${others.words}; docs/operations.md says how one is made`);
    return others && `DATABASE_URL: ${others.words}`;
  } finally {
    await client.end();
  }
}
