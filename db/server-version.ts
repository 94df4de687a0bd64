import { SettingError } from '../config/env.ts';
import { newConnection } from './driver.ts';

/** Before it there is no any_value(), which statements in MySQL's dialect become. */
const OLDEST = 16;

/** @param version `server_version_num`, such as 180004; @throws SettingError for one that statements cannot be run on */
export function refuseOldServer(version: number): void {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST) throw new SettingError(`DATABASE_URL leads to PostgreSQL ${major}: ${OLDEST} or later is needed`);
}

/** @throws SettingError, before anything is written */
export async function checkServer(databaseUrl: string): Promise<void> {
  const client = newConnection(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ version: number }>(`select current_setting('server_version_num')::int as version`);
    refuseOldServer(rows[0]!.version);
  } finally {
    await client.end();
  }
}
