import { readDate, readTimestamp } from './values.ts';

// A time as forms have it, in parts: 04/21/2027, 6:30, pm.

const AMERICAN = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const TIME = /^(\d{1,2}):(\d{2})(?::\d{2})?(?:\s*([ap])\.?m\.?)?$/i;

/** Both, with a space between; a day of another form with a clock of twelve hours alone. */
const BOTH = /^(\d{1,2}\/\d{1,2}\/\d{4}(?=\s)|\d{4}-\d\d-\d\d(?=\s.*[ap]\.?m\.?$))\s+(\S.*)$/i;

export type Half = 'am' | 'pm';

/** @returns YYYY-MM-DD. @throws Error */
export function readFormDay(value: unknown): string {
  const [, month, day, year] = typeof value === 'string' ? (AMERICAN.exec(value.trim()) ?? []) : [];
  if (!year) {
    try {
      return readDate(value);
    } catch {
      throw new Error('must be a day like 12/31/2030 or 2030-12-31');
    }
  }
  return readDate(`${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`);
}

/** @throws Error */
export function readHalf(value: unknown): Half {
  const half = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (half !== 'am' && half !== 'pm') throw new Error('must be am or pm');
  return half;
}

/** @param half of the day, where the text does not say it itself. @returns HH:MM:00. @throws Error */
export function readFormTime(value: unknown, half: Half | null): string {
  const [, hours, minutes, own] = typeof value === 'string' ? (TIME.exec(value.trim()) ?? []) : [];
  const of = own ? readHalf(`${own}m`) : half;
  const hour = Number(hours);
  // Of a clock of 24 hours, some clients send the half along: 18:30, pm.
  const isTwelve = of !== null && hour >= 1 && hour <= 12;
  const inDay = isTwelve ? (hour % 12) + (of === 'pm' ? 12 : 0) : hour;
  if (!minutes || hour > 23 || Number(minutes) > 59) throw new Error('must be a time like 6:30 pm or 18:30');
  return `${String(inDay).padStart(2, '0')}:${minutes}:00`;
}

/** A timestamp, also as people in America write it: 04/21/2030 18:30, 2030-04-21 6:30 pm. @throws Error */
export function readWrittenTime(value: unknown): string {
  const [, day, time] = typeof value === 'string' ? (BOTH.exec(value.trim()) ?? []) : [];
  return readTimestamp(day ? `${readFormDay(day)}T${readFormTime(time, null)}` : value);
}
