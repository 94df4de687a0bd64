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

/** A text is no time the clocks of a zone may show. Its message goes on after `The time`. */
export class NoSuchTimeError extends Error {}

/**
 * When the clocks of a zone show a time (`YYYY-MM-DDTHH:MM`): ISO 8601 without zone, UTC. Where they are put back and show it twice, it is the first time that is still to come, as of
 * recurrences.
 * @throws NoSuchTimeError
 */
export async function utcTime(sql: Sql, at: string, zone: string, now = new Date()): Promise<string> {
  try {
    readTimestamp(at);
  } catch (error) {
    throw new NoSuchTimeError((error as Error).message);
  }
  // The database gives one of the moments there may be; `by` is what the clocks are put forward about then, or back.
  const rows = await sql<{ moment: string }>(
    `with one as (select $1::timestamp at time zone $2 as moment),
       shift as (select ((moment + interval '24 hours') at time zone $2) - ((moment - interval '24 hours') at time zone $2) - interval '48 hours' as by from one)
     select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as moment
     from (select one.moment + n * shift.by as moment from one, shift, generate_series(-1, 1) n) as moments
     where moment at time zone $2 = $1::timestamp order by moment <= $3, moment limit 1`,
    [at, zoneName(zone), now],
  ).catch((error) => {
    // Data exceptions: a zone this server does not know, a moment it cannot hold.
    throw /^22/.test(String((error as { code?: unknown }).code)) ? new NoSuchTimeError('cannot be told in this time zone') : error;
  });
  // It would be another one, an hour later, and whoever gave it would not be told.
  if (!rows[0]) throw new NoSuchTimeError('is shown by no clock there: they are put forward over it');
  return rows[0].moment;
}
