import type { Sql } from '../../db/sql.ts';
import { readTimestamp } from '../../domain/values.ts';

// Times of day somewhere, as the database's own tables of time zones have it.

/** A moment (ISO 8601 without zone, UTC) as the clocks of a zone show it, to the minute: `YYYY-MM-DDTHH:MM`. */
export async function localTime(sql: Sql, moment: string, zone: string): Promise<string> {
  const [row] = await sql<{ at: string }>(
    `select to_char(($1::timestamp at time zone 'UTC') at time zone $2, 'YYYY-MM-DD"T"HH24:MI') as at`,
    [moment, zone],
  );
  return row!.at;
}

/** When the clocks of a zone show a time (`YYYY-MM-DDTHH:MM`): ISO 8601 without zone, UTC. @throws Error where the text is no time */
export async function utcTime(sql: Sql, at: string, zone: string): Promise<string> {
  readTimestamp(at);
  const [row] = await sql<{ moment: string }>(
    `select to_char(($1::timestamp at time zone $2) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as moment`,
    [at, zone],
  );
  return row!.moment;
}
