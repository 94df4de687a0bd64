import type { Client } from '../../db/driver.ts';
import { BackupError } from './format.ts';

const FRESH = 'a backup is restored into a fresh one';
/** A restore under way keeps all tables to itself. */
const PATIENCE = '2s';

/** @throws BackupError for a database that has tables of ours: with what can be done where that is all it has */
export async function refuseUsed(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select to_regclass('public.schema_migration') is not null as known, to_regclass('public.core_mailing') is not null as made`,
  );
  const { known, made } = rows[0];
  if (!known) return;
  if (made && (await hasRows(client))) throw new BackupError(`The database is not empty: ${FRESH}`);
  throw new BackupError(
    `The database is not empty: ${FRESH}. It has tables and nobody in them, as a restore leaves it that was ended before its end: drop it, create it anew, and restore again`,
  );
}

async function hasRows(client: Client): Promise<boolean> {
  try {
    // Of a transaction: behind a pooler a setting of the connection would stay with it, for whoever has it next.
    await client.query(`begin; set local lock_timeout = '${PATIENCE}'`);
    const used = ['auth_user', 'core_user', 'core_mailing'].map((table) => `exists (select from public.${table})`).join(' or ');
    return (await client.query(`select ${used} as used`)).rows[0].used;
  } catch {
    // Something is at work in it.
    return true;
  } finally {
    await client.query('rollback');
  }
}
