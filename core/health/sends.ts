import type { Client } from '../../db/driver.ts';
import { type Finding, look } from '../../domain/finding.ts';

/** Mailings that are on their way while no worker has any part of them: Temporal shows one that was killed for a minute and a half. */
export async function lookAtSends(client: Client): Promise<Finding[]> {
  const made = await client.query(`select from pg_class where oid = to_regclass('send_shard')`);
  if (!made.rowCount) return [];
  // Whoever waits (a rate, the hours of the day, a relay that is away) holds none; whoever takes over holds one for longer.
  const { rows } = await client.query<{ id: number }>(
    `select m.id from core_mailing m join send_shard s on s.mailing_id = m.id and s.held_until is not null
     where m.status = 'sending' group by m.id having max(s.held_until) < clock_timestamp() order by m.id`,
  );
  if (!rows.length) return [];
  const says = `who was sending mailing ${rows.map(({ id }) => id).join(', ')} is not heard of any more, and no other worker goes on`;
  return [look('sends', says, 'look again in a minute: a worker that is there goes on by itself; where none is, npm run worker')];
}
