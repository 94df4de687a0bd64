import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';

/**
 * After accounts were changed: the platform must not lock itself out. One change of accounts at a time, so that two cannot each leave the other as
 * the last.
 * @throws InputError when no active superuser is left
 */
export async function keepASuperuser(sql: Sql): Promise<void> {
  await sql(`select pg_advisory_xact_lock(hashtext('accounts'))`);
  const [row] = await sql<{ left: boolean }>('select exists (select from auth_user where is_superuser and is_active) as left');
  if (!row!.left) throw new InputError({ is_superuser: 'This is the last active superuser.' });
}
