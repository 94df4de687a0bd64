import { createHmac } from 'node:crypto';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import type { Dialect } from '../../domain/words.ts';
import { nobodyWentSince } from '../people/who-went.ts';

/**
 * Names a result: the statement with the values bound to it, its format, and the grants of who asks, so that nobody is given what was made for
 * somebody who may do more. A digest: values may be addresses.
 */
export function cacheKey(
  secret: string,
  parts: { dialect?: Dialect | undefined; text: string; values: unknown[]; format: string; grants: readonly string[] },
): string {
  const { dialect = 'postgresql', text, values, format, grants } = parts;
  return createHmac('sha256', secret)
    .update(JSON.stringify(['report', dialect, text, values, format, [...grants].sort()]))
    .digest('base64url');
}

/** A result made within `seconds`, and how many seconds ago that was. Of one from a time to come, before the clock of the database was set back, nobody knows it. */
export async function findCached(pool: Pool, key: string, seconds: number): Promise<{ content: string; age: number } | null> {
  const { rows } = await pool.query<{ content: string; age: number }>(
    `select content, floor(extract(epoch from now() - created_at))::int as age from report_cache
     where key = $1 and created_at > now() - make_interval(secs => $2) and created_at <= now()`,
    [key, seconds],
  );
  return rows[0] ?? null;
}

/** Drops all results: somebody in them is gone, and nobody can tell in which. Those another transaction is dropping are left to it, so that none waits. */
export async function dropCached(sql: Sql): Promise<void> {
  await sql('delete from report_cache where key in (select key from report_cache for update skip locked)');
}

/**
 * Keeps a result in place of an older one, and drops the oldest of all while they are more than `mostBytes` together. One in which somebody may stand who was
 * erased or deleted since it was begun is not kept.
 * @param gone `goneSoFar` before it was begun
 */
export async function keepCached(
  pool: Pool,
  { key, format, content, gone }: { key: string; format: string; content: string; gone: string | null },
  mostBytes: number,
): Promise<void> {
  const kept = await inOneTransaction(pool, async (sql) => {
    if (!(await nobodyWentSince(sql, gone))) return false;
    await sql(
      `insert into report_cache (key, format, content, bytes) values ($1, $2, $3, octet_length($3))
       on conflict (key) do update set content = excluded.content, bytes = excluded.bytes, created_at = now()`,
      [key, format, content],
    );
    return true;
  });
  if (!kept) return;
  await pool.query(
    `delete from report_cache where key in (
       select key from (select key, sum(bytes) over (order by created_at desc, key) as together from report_cache) kept where together > $1)`,
    [mostBytes],
  );
}
