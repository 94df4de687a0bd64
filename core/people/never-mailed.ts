import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { addressKey } from '../../mail/address.ts';

/** What is said of a mail to one of them. */
export const NEVER_MAILED = 'this address is never mailed';

/** Which of some addresses are never mailed, whoever asks for it: of those that people and staff name, who need not be in the audience of anything. */
export async function neverMailed(sql: Sql, emails: readonly string[]): Promise<(email: string) => boolean> {
  const rows = await sql<{ email: string }>('select email from core_blackholedemail where email = any($1::text[])', [
    textArray(emails.map(addressKey)),
  ]);
  const found = new Set(rows.map(({ email }) => email));
  return (email) => found.has(addressKey(email));
}
