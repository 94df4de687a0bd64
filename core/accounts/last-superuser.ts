import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';

/**
 * After accounts were changed: the platform must not lock itself out. One change of accounts at a time, so that two cannot each leave the other as
 * the last.
 * @throws InputError when no active superuser is left
 */
export async function keepASuperuser(sql: Sql): Promise<void> {
  await sql(`select pg_advisory_xact_lock(hashtext('accounts'))`);
  const superusers = tables.selectFrom('auth_user').where('is_superuser', '=', true).where('is_active', '=', true);
  if ((await run(sql, superusers.select('id').limit(1))).length === 0)
    throw new InputError({ is_superuser: 'This is the last active superuser.' });
}
