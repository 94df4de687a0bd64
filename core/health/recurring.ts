import type { Env } from '../../config/env.ts';
import type { Client } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { type Finding, look } from '../../domain/finding.ts';
import { missedTimes } from '../mailings/missed-times.ts';

/** As many are named. */
const NAMED = 3;

/** Recurring mailings that were due and did not go out: Temporal, all workers or the database were away for too long then. */
export async function lookAtRecurring(client: Client, env: Env): Promise<Finding[]> {
  const made = await client.query(`select from pg_class where oid = to_regclass('core_recurringcopy')`);
  if (!made.rowCount) return [];
  const missed = await missedTimes(sqlOn(client), env);
  if (!missed.length) return [];
  const named = missed
    .slice(0, NAMED)
    .map(({ mailingId, day, time, timezone }) => `${mailingId} at ${day}T${time} by the clocks of ${timezone}`);
  const more = missed.length > NAMED ? ` and ${missed.length - NAMED} more` : '';
  const todo = 'what still should is sent by hand, as a copy of it: docs/operations.md; said until the next one goes out';
  return [look('recurring', `did not go out: mailing ${named.join(', ')}${more}`, todo)];
}
