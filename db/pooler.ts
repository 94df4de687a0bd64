import { randomBytes } from 'node:crypto';
import type pg from 'pg';

/**
 * Why a pooler between us and the database cannot be used; null when there is none, or it can. Statements are prepared under names: a pooler that gives each transaction
 * another connection has to know them, or they are missing on one and there twice on another.
 * @param client a connection of its own
 */
export async function whyNotPoolable(client: pg.Client): Promise<string | null> {
  const name = `probe-${randomBytes(6).toString('hex')}`;
  await client.query('begin');
  await client.query({ name, text: 'select 1' });
  const { rows } = await client.query<{ pid: number; ours: boolean }>(
    'select pg_backend_pid() as pid, exists (select from pg_prepared_statements where name = $1) as ours',
    [name],
  );
  await client.query('commit');
  const { processID } = client as pg.Client & { processID: number };
  // A pooler that keeps them prepares them under names of its own, and tells a number of its own for the server's process.
  if (rows[0]!.pid === processID || !rows[0]!.ours) return null;
  return 'the pooler before the database keeps no prepared statements: pgbouncer has to be 1.21 or later, with max_prepared_statements above 0, unless it pools by session';
}
