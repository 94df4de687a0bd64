import { type Client, newConnection } from './driver.ts';

/**
 * Which database this is: of which server's data, and which of its databases. A standby that is promoted is the same one; what was restored from a dump is another, so that
 * a copy made to try things out is not taken for what it was made of. One that was made of the files is: nothing in it tells the two apart.
 */
export async function identityOf(db: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await db.query<{ identity: string }>(
    `select system_identifier || '/' || oid as identity from pg_control_system(), pg_database where datname = current_database()`,
  );
  return rows[0]!.identity;
}

/** The same by its address; null where there is no answer within `patienceMs`. */
export async function identityAt(url: string, patienceMs: number): Promise<string | null> {
  const client = newConnection(url, { connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return await identityOf(client);
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}
