import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';

// The log of refused donations knows people by their address alone. An erasure without `order_user_details` leaves it as it is and takes the address from
// everywhere else; a later one with that option finds it by the keyed hash the first is remembered by.

/** Addresses hashed at a time. */
const AT_A_TIME = 5_000;

/** Before their former addresses are forgotten: what stands under one goes under the last, whose hash stays. */
export async function gatherAttempts(sql: Sql, emails: readonly string[], last: string): Promise<void> {
  await sql('update core_donationattempt set email = $2 where lower(email) = any($1::text[]) and lower(email) <> lower($2)', [
    textArray(emails),
    last,
  ]);
}

/** Clears what earlier erasures of this user left. @param hashOf the keyed hash of an address */
export async function forgetLeftAttempts(sql: Sql, userId: number, hashOf: (email: string) => string): Promise<void> {
  const erasures = await sql<{ email_hash: string; at: string }>(
    `select email_hash, updated_at::text as at from core_erasure where user_id = $1 and status = 'complete' and email_hash <> ''`,
    [userId],
  );
  if (erasures.length === 0) return;
  const erasedAt = new Map(erasures.map(({ email_hash, at }) => [email_hash, at]));
  for (let after = ''; ; ) {
    const found = await sql<{ email: string }>(
      `select distinct lower(email) as email from core_donationattempt where lower(email) > $1 order by 1 limit ${AT_A_TIME}`,
      [after],
    );
    for (const { email } of found) {
      const at = erasedAt.get(hashOf(email));
      if (at !== undefined) await forget(sql, email, at);
    }
    if (found.length < AT_A_TIME) return;
    after = found.at(-1)!.email;
  }
}

/** What came after the erasure is of whoever has the address since, if anybody has. */
async function forget(sql: Sql, email: string, erasedAt: string): Promise<void> {
  await sql(
    `update core_donationattempt set email = '', name = '', errors = '{}'
     where lower(email) = $1 and (created_at <= $2::timestamptz or not exists (select from core_user where lower(email) = $1))`,
    [email, erasedAt],
  );
}
