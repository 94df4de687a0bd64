import type { Sql } from '../../db/sql.ts';
import { readTimestamp } from '../../domain/values.ts';

// Times of day somewhere, as the database's own tables of time zones have it.

/**
 * A zone as the database has to be asked for it. A short name it takes for an abbreviation first, which has no summer: by CET it means an hour ahead of UTC in July, too, where
 * recurrences and hours of sending mean the clocks of Brussels.
 */
const zoneName = (zone: string): string =>
  zone.includes('/') ? zone : new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;

/** A moment (ISO 8601 without zone, UTC) as the clocks of a zone show it, to the minute: `YYYY-MM-DDTHH:MM`. */
export async function localTime(sql: Sql, moment: string, zone: string): Promise<string> {
  const [row] = await sql<{ at: string }>(
    `select to_char(($1::timestamp at time zone 'UTC') at time zone $2, 'YYYY-MM-DD"T"HH24:MI') as at`,
    [moment, zoneName(zone)],
  );
  return row!.at;
}

/** When the clocks of a zone show a time (`YYYY-MM-DDTHH:MM`): ISO 8601 without zone, UTC. @throws Error where the text is no time */
export async function utcTime(sql: Sql, at: string, zone: string): Promise<string> {
  readTimestamp(at);
  const [row] = await sql<{ moment: string }>(
    `select to_char(($1::timestamp at time zone $2) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as moment`,
    [at, zoneName(zone)],
  );
  return row!.moment;
}
