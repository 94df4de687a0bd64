import type { Sql } from '../../db/sql.ts';
import { CredentialsError } from '../../domain/errors.ts';

/**
 * Before anything is held that an account is written to: holds the account, as whoever deletes it does before they come to what names it.
 * @throws CredentialsError where it was deleted since it was let in
 */
export async function holdAccount(sql: Sql, id: number): Promise<void> {
  const held = await sql('select from auth_user where id = $1 for key share', [id]);
  if (held.length === 0) throw new CredentialsError();
}
