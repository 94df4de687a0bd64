// Dates as Django's `date` filter writes them, in UTC and English.

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
/** Months as the Associated Press abbreviates them: letter N. */
const PRESS = 'Jan. Feb. March April May June July Aug. Sept. Oct. Nov. Dec.'.split(' ');

const two = (number: number) => String(number).padStart(2, '0');
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;
const afternoon = (date: Date) => date.getUTCHours() >= 12;
const ordinal = (day: number) => (day % 100 > 10 && day % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'));
const dayMs = 86_400_000;
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1;
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** The Thursday of the date's week: its year is the ISO year, its place in it the ISO week. */
const thursday = (date: Date) => new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * dayMs);
const isoWeek = (date: Date) => Math.ceil(dayOfYear(thursday(date)) / 7);

/** 4 p.m., 4:30 p.m., noon, midnight. */
function pressTime(date: Date): string {
  const minutes = date.getUTCMinutes();
  if (minutes === 0 && date.getUTCHours() === 0) return 'midnight';
  if (minutes === 0 && date.getUTCHours() === 12) return 'noon';
  return `${LETTER.f!(date)} ${LETTER.a!(date)}`;
}

const LETTER: Record<string, (date: Date) => string> = {
  d: (date) => two(date.getUTCDate()),
  j: (date) => String(date.getUTCDate()),
  D: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  l: (date) => DAYS[date.getUTCDay()]!,
  S: (date) => ordinal(date.getUTCDate()),
  w: (date) => String(date.getUTCDay()),
  z: (date) => String(dayOfYear(date)),
  W: (date) => String(isoWeek(date)),
  m: (date) => two(date.getUTCMonth() + 1),
  n: (date) => String(date.getUTCMonth() + 1),
  M: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  b: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3).toLowerCase(),
  F: (date) => MONTHS[date.getUTCMonth()]!,
  E: (date) => MONTHS[date.getUTCMonth()]!,
  N: (date) => PRESS[date.getUTCMonth()]!,
  t: (date) => String(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  y: (date) => two(date.getUTCFullYear() % 100),
  Y: (date) => String(date.getUTCFullYear()),
  L: (date) => (isLeap(date.getUTCFullYear()) ? 'True' : 'False'),
  o: (date) => String(thursday(date).getUTCFullYear()),
  g: (date) => String(hour12(date)),
  G: (date) => String(date.getUTCHours()),
  h: (date) => two(hour12(date)),
  H: (date) => two(date.getUTCHours()),
  i: (date) => two(date.getUTCMinutes()),
  s: (date) => two(date.getUTCSeconds()),
  u: (date) => String(date.getUTCMilliseconds() * 1000).padStart(6, '0'),
  a: (date) => (afternoon(date) ? 'p.m.' : 'a.m.'),
  A: (date) => (afternoon(date) ? 'PM' : 'AM'),
  f: (date) => `${hour12(date)}${date.getUTCMinutes() ? `:${two(date.getUTCMinutes())}` : ''}`,
  P: pressTime,
  e: () => 'UTC',
  T: () => 'UTC',
  O: () => '+0000',
  Z: () => '0',
  c: (date) => date.toISOString().slice(0, 19),
  r: (date) => date.toUTCString().replace('GMT', '+0000'),
  U: (date) => String(Math.floor(date.getTime() / 1000)),
};

/** @param format letters of Django's date filter; a backslash keeps the next letter as it is */
export const formatDate = (date: Date, format: string): string =>
  format.replace(/\\(.)|([a-zA-Z])/g, (whole, kept: string | undefined) => kept ?? LETTER[whole]?.(date) ?? whole);

/** How a date shows that no filter formats. */
export const defaultDate = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : formatDate(date, 'N j, Y, P'));

/** A date from a Date or from ISO 8601 text (without a zone: UTC); null for anything else. */
export function dateOf(value: unknown): Date | null {
  const text =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[-+]\d\d:?\d\d)?)?$/.test(value) ? value : null;
  const date = value instanceof Date ? value : text === null ? null : new Date(/Z$|[-+]\d\d:?\d\d$|^.{10}$/.test(text) ? text : `${text}Z`);
  // The runtime takes 31 April for 1 May.
  const isDay = text === null || new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10));
  return date && isDay && !Number.isNaN(date.getTime()) ? date : null;
}
