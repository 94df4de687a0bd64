import type { Sql } from '../../db/sql.ts';

/** The addresses by which somebody is or was known, in lower case; none that is somebody else's by now. */
export async function addressesOf(sql: Sql, userId: number): Promise<string[]> {
  const rows = await sql<{ email: string }>(
    `select lower(email) as email from core_user where id = $1
     union select email from core_formeremail f where user_id = $1 and not exists (select from core_user o where lower(o.email) = f.email and o.id <> $1)`,
    [userId],
  );
  return rows.map(({ email }) => email);
}

/** Before users go who were merged into another: their addresses are ones that one had before. */
export async function keepFormerAddresses(sql: Sql, primary: number, merged: number[]): Promise<void> {
  await sql(
    `insert into core_formeremail (user_id, email) select $1::int, lower(email) from core_user where id = any($2::int[]) and email not like 'erased-%@erased.invalid'
     on conflict (user_id, email) do update set created_at = now()`,
    [primary, merged],
  );
}
