import { clockOf, DAY, MINUTE } from './clocks.ts';
import { readTimestamp } from './values.ts';

// Times of day somewhere, by the same tables of time zones as recurrences, hours of sending, and what browsers show: the database may have older ones.

/** A moment (ISO 8601 without zone, UTC) as the clocks of a zone show it, to the minute: `YYYY-MM-DDTHH:MM`. */
export const localTime = (moment: string, zone: string): string =>
  new Date(clockOf(zone)(Date.parse(`${moment}Z`))).toISOString().slice(0, 16);

/** A text is no time the clocks of a zone may show. Its message goes on after `The time`. */
export class NoSuchTimeError extends Error {}

/**
 * When the clocks of a zone show a time (`YYYY-MM-DDTHH:MM`): ISO 8601 without zone, UTC. Where they are put back and show it twice, it is the first time that is still to come.
 * @throws NoSuchTimeError
 */
export function utcTime(at: string, zone: string, now = new Date()): string {
  const wanted = read(at);
  const shown = Math.floor(wanted / MINUTE) * MINUTE;
  const clock = clockOf(zone);
  // What they are ahead of UTC before and after: a change lies in between, or none.
  const moments = [shown - DAY, shown + DAY].map((near) => shown - (clock(near) - near)).filter((moment) => clock(moment) === shown);
  // It would be another one, an hour later, and whoever gave it would not be told.
  if (!moments.length) throw new NoSuchTimeError('is shown by no clock there: they are put forward over it');
  const inOrder = moments.sort((one, other) => one - other).map((moment) => moment + (wanted - shown));
  const text = new Date(inOrder.find((moment) => moment > now.getTime()) ?? inOrder[0]!).toISOString();
  if (!/^\d{4}-/.test(text)) throw new NoSuchTimeError('is out of range');
  return text.slice(0, 19);
}

function read(at: string): number {
  // Taken for UTC it would be a time of day nobody named, hours off.
  if (/(Z|[+-]\d\d:?\d\d)$/i.test(at.trim())) throw new NoSuchTimeError('must have no offset: its time zone says it');
  try {
    return Date.parse(readTimestamp(at));
  } catch (error) {
    throw new NoSuchTimeError((error as Error).message);
  }
}
