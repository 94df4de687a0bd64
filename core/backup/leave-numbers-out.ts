import type { Client } from '../../db/driver.ts';

/** More than can have been given out between a backup and its restore. */
const LEFT_OUT = 1_000_000;

/**
 * Rows made after the backup are lost, and others know them by their numbers: links in mails, contacts of the CRM, runs of the workflow service. So those numbers become nobody else's. The
 * numbers of intents go on where they were: a reference names what it is for beside them, and the next one for the same thing has to find the record that a lost one made.
 */
export async function leaveNumbersOut(client: Client): Promise<void> {
  await client.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, least(coalesce(last_value, 0) + $1::bigint, max_value))
     from pg_sequences where schemaname = 'public' and sequencename <> 'partner_intent_id_seq'`,
    [LEFT_OUT],
  );
}
