import type { Client } from '../../db/driver.ts';

/** More than can have been given out between a backup and its restore. */
const LEFT_OUT = 1_000_000;

/**
 * Rows made after the backup are lost, and others know them by their numbers: links in mails, contacts of the CRM, runs of the workflow service. So those numbers become nobody else's.
 */
export async function leaveNumbersOut(client: Client): Promise<void> {
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, least(coalesce(last_value, 0) + $1::bigint, max_value))
     from pg_sequences where schemaname = 'public'`,
    [LEFT_OUT],
  );
}
