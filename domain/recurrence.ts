import { InputError } from './errors.ts';
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

/** @throws InputError naming every part that cannot be */
export function checkRecurrence({ minute, hour, weekday, day, timezone }: Recurrence): void {
  const wrong: Record<string, string> = {};
  if (minute < 0 || minute > 59) wrong['minute'] = 'minute must be from 0 to 59.';
  if (hour < 0 || hour > 23) wrong['hour'] = 'hour must be from 0 to 23.';
  if (weekday < 0 || weekday > 6) wrong['weekday'] = 'weekday must be from 0 (Sunday) to 6.';
  if (day < 1 || day > 28) wrong['day'] = 'day must be from 1 to 28.';
  if (!isTimezone(timezone)) wrong['timezone'] = 'timezone must be the name of a time zone, such as America/New_York.';
  if (Object.keys(wrong).length) throw new InputError(wrong);
}

// Names only: what else a runtime takes, such as +02:00, the workflow service may not know.
/** Whether there is a time zone of that name. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The five fields of cron: minute, hour, day of the month, month, weekday. */
export function cronOf({ period, minute, hour, weekday, day }: Recurrence): string {
  if (period === 'hourly') return `${minute} * * * *`;
  if (period === 'daily') return `${minute} ${hour} * * *`;
  if (period === 'weekly') return `${minute} ${hour} * * ${weekday}`;
  return `${minute} ${hour} ${day} * *`;
}
