import type { Sql } from '../../db/sql.ts';
import { mailboxKey } from '../../mail/address.ts';
import { EMPTIED } from './emptied-address.ts';

/** The addresses by which somebody is or was known, in lower case, and as relays say them, who know no domain beyond ASCII; none that is somebody else's by now. */
export async function addressesOf(sql: Sql, userId: number): Promise<string[]> {
  const rows = await sql<{ email: string }>(
    `select lower(email) as email from core_user where id = $1
     union select email from core_formeremail f where user_id = $1 and not exists (select from core_user o where lower(o.email) = f.email and o.id <> $1)`,
    [userId],
  );
  return [...new Set(rows.flatMap(({ email }) => [email, mailboxKey(email) ?? email]))];
}

/** Before users go who were merged into another: their addresses are ones that one had before. */
export async function keepFormerAddresses(sql: Sql, primary: number, merged: number[]): Promise<void> {
  await sql(
    `insert into core_formeremail (user_id, email) select $1::int, lower(email) from core_user u where id = any($2::int[]) and not ${EMPTIED}
     on conflict (user_id, email) do update set created_at = now()`,
    [primary, merged],
  );
}

/** So long after an address was changed a mail to the old one may come back. Later than that, the new one may be forwarded to it. */
const ON_ITS_WAY = '30 days';

/** Whether a mail came back from an address somebody had until lately, and not from the one they have. @param addresses of the report, as `mailboxKey` has them */
export async function cameFromFormer(sql: Sql, userId: number, addresses: readonly string[]): Promise<boolean> {
  if (addresses.length === 0) return false;
  const rows = await sql<{ email: string; present: boolean }>(
    `select email, true as present from core_user where id = $1
     union all select email, false from core_formeremail where user_id = $1 and created_at > now() - interval '${ON_ITS_WAY}'`,
    [userId],
  );
  const named = (present: boolean) => rows.some((row) => row.present === present && addresses.includes(mailboxKey(row.email) ?? row.email));
  return named(false) && !named(true);
}
