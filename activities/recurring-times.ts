import { isDeepStrictEqual } from 'node:util';
import type { ScheduleDescription } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import { isLimitedByHand, type RecurringScheduleOptions } from '../workflows/contracts.ts';

type Spec = NonNullable<NonNullable<ScheduleDescription['raw']['schedule']>['spec']>;
type Calendar = NonNullable<Spec['structuredCalendar']>[number];
type Ranges = Calendar['minute'];

/** What cron names, in its order, as Temporal calls it: what each may be at least and at most. */
const PARTS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['dayOfMonth', 1, 31],
  ['month', 1, 12],
  ['dayOfWeek', 0, 6],
] as const;

/**
 * Whether a schedule starts what it is to start when it is to: whoever edits one in the Temporal UI leaves what its runs are given as it is, the times it is
 * meant for among that. Whether it is paused is left to them, but not after how many runs it ends.
 */
export function isAsMeant(described: ScheduleDescription, { action: meant, policies: how, spec: when }: RecurringScheduleOptions): boolean {
  const { action, policies, state, raw } = described;
  const found = action.typedSearchAttributes as TypedSearchAttributes;
  const spec = raw.schedule?.spec;
  return (
    state.remainingActions === undefined &&
    policies.overlap === how.overlap &&
    policies.catchupWindow === how.catchupWindow &&
    !policies.pauseOnFailure &&
    STARTS.every((name) => isDeepStrictEqual(action[name], meant[name])) &&
    !isLimitedByHand(action) &&
    // By these a run is found.
    meant.typedSearchAttributes.every(({ key, value }) =>
      found.getAll().some((each) => each.key.name === key.name && each.value === value),
    ) &&
    spec?.timezoneName === when.timezone &&
    !hasOthers(spec) &&
    isDeepStrictEqual((spec.structuredCalendar ?? []).map(timesOfCalendar).sort(), when.cronExpressions.map(timesOfCron).sort())
  );
}

const STARTS = ['workflowType', 'workflowId', 'taskQueue', 'args'] as const;

/** What times may be said by beside calendars. */
const hasOthers = ({
  cronString,
  calendar,
  interval,
  excludeCalendar,
  excludeStructuredCalendar,
  startTime,
  endTime,
  jitter,
}: Spec): boolean =>
  [cronString, calendar, interval, excludeCalendar, excludeStructuredCalendar].some((each) => each?.length) ||
  [startTime, endTime].some(Boolean) ||
  Boolean(Number(jitter?.seconds ?? 0) || jitter?.nanos);

const timesOfCalendar = (calendar: Calendar): string =>
  JSON.stringify([[...PARTS.map(([name]) => numbersOf(calendar[name])), numbersOf(calendar.year)], numbersOf(calendar.second)]);

function timesOfCron(cron: string): string {
  const fields = cron.split(' ');
  const parts = PARTS.map(([, least, most], n) =>
    fields[n] === '*' ? Array.from({ length: most - least + 1 }, (_, i) => least + i) : [Number(fields[n])],
  );
  return JSON.stringify([[...parts, fields.slice(PARTS.length).map(Number)], [0]]);
}

function numbersOf(ranges: Ranges): number[] {
  const numbers = new Set<number>();
  for (const { start, end, step } of ranges ?? [])
    for (let n = start ?? 0; n <= Math.max(start ?? 0, end ?? 0); n += step || 1) numbers.add(n);
  return [...numbers].sort((one, other) => one - other);
}
