import { clockOf, DAY, gapsIn, MINUTE } from './clocks.ts';
import type { RecurrencePeriod } from './words.ts';

/** When a recurring mailing goes out. Parts that a period has no use for are not looked at. */
export interface Recurrence {
  period: RecurrencePeriod;
  minute: number;
  hour: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Of the month; 28 at most, so that every month has it. */
  day: number;
  /** IANA name. */
  timezone: string;
}

/** What a runtime takes for a zone and no table of zones has: elsewhere it is another one. IST is India's to it, and Israel's to the database. */
const ABBREVIATION = /^(?!CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)[A-Z]{3}$/i;

// Names only: what else a runtime takes, such as +02:00, the workflow service may not know.
/** Whether there is a time zone of that name. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name) || ABBREVIATION.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The five fields of cron: minute, hour, day of the month, month, weekday. */
function cronOf({ period, minute, hour, weekday, day }: Recurrence): string {
  if (period === 'hourly') return `${minute} * * * *`;
  if (period === 'daily') return `${minute} ${hour} * * *`;
  if (period === 'weekly') return `${minute} ${hour} * * ${weekday}`;
  return `${minute} ${hour} ${day} * *`;
}

/** The same with what `leftOut` and `withoutMidnight` have for this year and the next, each as six fields of cron: the year is the last. */
export function cronsOf(recurrence: Recurrence, now: number): string[] {
  // The year turns at noon: a schedule that is changed in the second in which it is due misses that time, and clocks are put forward at night.
  const year = new Date(now - DAY / 2).getUTCFullYear();
  const named = [year, year + 1].flatMap((each) => [
    ...leftOut(recurrence, each).map(({ shown }) => shown),
    ...withoutMidnight(recurrence, each),
  ]);
  return [cronOf(recurrence), ...named.map(cronOfOne)];
}

/** When a schedule begins runs, as the workflow service takes it. */
export interface Calendar {
  cronExpressions: string[];
  timezone: string;
}

/**
 * The calendar of a recurrence. What is due every hour is said by the clocks of UTC, where those of its zone are always as many minutes off: where they are put back
 * and show an hour twice, the workflow service passes over the second one east of Greenwich.
 */
export function calendarOf(recurrence: Recurrence, now: number): Calendar {
  const off = recurrence.period === 'hourly' ? minutesOff(recurrence.timezone, now) : null;
  if (off === null) return { cronExpressions: cronsOf(recurrence, now), timezone: recurrence.timezone };
  return { cronExpressions: [cronOf({ ...recurrence, minute: (recurrence.minute - off + 60) % 60 })], timezone: 'UTC' };
}

/** How many minutes past the hour of UTC the hours of a zone begin; null where that changes within the year, as on Lord Howe. */
function minutesOff(timezone: string, now: number): number | null {
  const clock = clockOf(timezone);
  const [summer, winter] = [now, now + 182 * DAY].map((at) => new Date(clock(at) - Math.floor(at / MINUTE) * MINUTE).getUTCMinutes());
  return summer === winter ? summer! : null;
}

function cronOfOne(time: number): string {
  const at = new Date(time);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} * ${at.getUTCFullYear()}`;
}

/** The times a schedule is for, in one text: `cronsOf`, and the zone. */
export const timesOf = (recurrence: Recurrence, now: number): string => `${cronsOf(recurrence, now).join(', ')} ${recurrence.timezone}`;

/** Whether such a text, of whatever year, says what the recurrence does. */
export const areTimesOf = (times: string, recurrence: Recurrence): boolean =>
  times.split(', ')[0]!.startsWith(cronOf(recurrence)) && times.endsWith(` ${recurrence.timezone}`);

/**
 * Which time of a recurrence a moment stands for: the day and the time by its clocks, as `YYYY-MM-DDTHH:MM`. Both moments at which clocks that are
 * put back show it stand for the same one, and so does the moment for one that is left out. Null for what is due every hour: each is its own.
 */
export function occasionOf(recurrence: Recurrence, moment: number): string | null {
  if (recurrence.period === 'hourly') return null;
  const shown = clockOf(recurrence.timezone)(moment);
  const missed = leftOut(recurrence, new Date(moment).getUTCFullYear()).find((each) => each.shown === shown);
  const due = missed ? missed.due : timeOfDay(recurrence, shown);
  return occasionText(due);
}

const occasionText = (due: number): string => new Date(due).toISOString().slice(0, 16);

/**
 * The times of a year that never come because the clocks are put forward over them, and what they show at the moment that stands for each: as much
 * later as they jump. Where they jump over a whole day that is the same time on the next one.
 */
function leftOut(recurrence: Recurrence, year: number): { due: number; shown: number }[] {
  const { period, timezone } = recurrence;
  if (period === 'hourly') return [];
  return gapsIn(year, timezone).flatMap(({ from, until }) => {
    const times = [];
    for (let due = timeOfDay(recurrence, from); due < until; due += DAY) {
      if (isOnDayOf(recurrence, due) && due >= from) times.push({ due, shown: due + until - from });
    }
    return times;
  });
}

/**
 * The times of a year on days that begin later than at midnight, the clocks being put forward over it. West of Greenwich the workflow service asks for the weekday
 * of a midnight there is not, is told that of the day before, and passes over the whole day.
 */
function withoutMidnight(recurrence: Recurrence, year: number): number[] {
  if (recurrence.period !== 'weekly') return [];
  return gapsIn(year, recurrence.timezone).flatMap(({ from, until }) => {
    const midnight = Math.floor(until / DAY) * DAY;
    const due = timeOfDay(recurrence, midnight);
    return from <= midnight && midnight < until && until <= due && isOnDayOf(recurrence, due) ? [due] : [];
  });
}

/** When a recurrence was due, and what that moment stands for, as `occasionOf` says it. */
export interface Due {
  at: number;
  occasion: string | null;
}

/**
 * When a recurrence was due last, as of a moment: at the first one where clocks that are put back show its time twice, but not before the second, at which alone the workflow
 * service begins it east of Greenwich; and where they leave it out at the one that stands for it.
 * @param clock of its time zone, for who has it
 */
export function lastDue(recurrence: Recurrence, until: number, clock = clockOf(recurrence.timezone)): Due {
  if (recurrence.period === 'hourly') {
    let at = Math.floor(until / MINUTE) * MINUTE;
    while (new Date(clock(at)).getUTCMinutes() !== recurrence.minute) at -= MINUTE;
    return { at, occasion: null };
  }
  for (let due = timeOfDay(recurrence, clock(until)); ; due -= DAY) {
    if (!isOnDayOf(recurrence, due)) continue;
    // By what the clocks were ahead of UTC before and after: a change lies in between, or none.
    const [before, after] = [due - DAY, due + DAY].map((near) => due - (clock(near) - near)) as [number, number];
    const isAfter = clock(after) === due;
    const at = clock(before) !== due && isAfter ? after : before;
    if ((isAfter ? after : at) <= until) return { at, occasion: occasionText(due) };
  }
}

function isOnDayOf({ period, weekday, day }: Recurrence, time: number): boolean {
  const date = new Date(time);
  return period === 'daily' || (period === 'weekly' ? date.getUTCDay() === weekday : date.getUTCDate() === day);
}

/** The time of a recurrence on the day of a time. */
const timeOfDay = ({ hour, minute }: Recurrence, on: number): number => Math.floor(on / DAY) * DAY + (hour * 60 + minute) * MINUTE;
