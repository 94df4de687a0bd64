const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const MOST_POINTS = 160;
const MINUTE = 60;
const HOUR = 3600;

/** Seconds between two points of a chart over so many seconds. */
export const stepFor = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= MOST_POINTS) ?? Math.ceil(seconds / MOST_POINTS / 86_400) * 86_400;

/** The longest span, in seconds, whose steps are shorter than this one. */
const longestBefore = (step: number): number => STEPS[STEPS.indexOf(step) - 1]! * MOST_POINTS;

/**
 * SQL: the moment under which something is counted in a timeline. It is as fine as any chart will ever need: what happened long after the sending began lies in no short
 * chart, so minutes do, then hours, and a timeline has few rows however many events there are.
 * @param at when it happened
 * @param begun when sending began; null as long as it has not
 * @param finest the finest that is kept near the beginning
 */
export function momentOf(at: string, begun: string, finest: 'second' | 'minute'): string {
  const moment = (unit: string) => `date_bin('1 ${unit}', ${at}, 'epoch')`;
  const after = (unit: string, seconds: number) =>
    `when ${moment(unit)} > ${begun} + interval '${longestBefore(seconds)} seconds' then ${moment(unit)}`;
  const minutes = finest === 'second' ? after('minute', MINUTE) : '';
  return `case ${after('hour', HOUR)} ${minutes} else ${moment(finest)} end`;
}
