import type { ScheduleSummary } from '@temporalio/client';
import { clockOf, MINUTE } from '../../domain/clocks.ts';
import { type Finding, look } from '../../domain/finding.ts';
import { isTimezone } from '../../domain/recurrence.ts';

/** As many are named. */
const NAMED = 3;
const HOUR = 60 * MINUTE;

type Calendar = NonNullable<NonNullable<ScheduleSummary['spec']>['calendars']>[number];

/**
 * Recurring mailings that Temporal begins at another time of day than they are meant for: it has tables of time zones of its own, and in those of another year clocks are
 * changed where ours are not.
 * @param listed all schedules there are
 */
export function lookAtZones(listed: ScheduleSummary[]): Finding[] {
  const told = listed.flatMap(({ scheduleId, action, spec, info }) => {
    const { timezone, calendars = [] } = spec ?? {};
    if (action?.workflowType !== 'runRecurring' || !timezone || !isTimezone(timezone)) return [];
    const clock = clockOf(timezone);
    const other = info.nextActionTimes.find(
      (time) => !standFor(clock, time.getTime()).some((at) => calendars.some((calendar) => isAt(calendar, at))),
    );
    return other ? [`${scheduleId} at ${shown(clock(other.getTime()))} by the clocks of ${timezone}`] : [];
  });
  if (!told.length) return [];
  const more = told.length > NAMED ? ` and ${told.length - NAMED} more` : '';
  const says = `begin at another time than they are meant for: ${told.slice(0, NAMED).join(', ')}${more}`;
  return [look('schedules', says, 'Temporal has other tables of time zones than this Node: bring both up to date')];
}

/**
 * The times a moment may stand for: what the clocks show, and within the hour before they are put back what they will have shown then. East of Greenwich Temporal begins
 * what was due an hour before once more, and that run makes no copy.
 */
function standFor(clock: (moment: number) => number, moment: number): Date[] {
  const at = clock(moment);
  const back = at + HOUR - clock(moment + HOUR);
  return [at, ...(back > 0 ? [at - back] : [])].map((time) => new Date(time));
}

const shown = (time: number): string => new Date(time).toISOString().slice(0, 16);

const isAt = ({ hour, minute }: Calendar, at: Date): boolean => holds(hour, at.getUTCHours()) && holds(minute, at.getUTCMinutes());

const holds = (ranges: Calendar['hour'], value: number): boolean =>
  ranges.some(({ start, end, step }) => value >= start && value <= end && (value - start) % step === 0);
