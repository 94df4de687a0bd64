/** How much was done by some moment. */
export interface Moment {
  /** Milliseconds of any clock, the same for all. */
  at: number;
  done: number;
}

/** What was done in so long a time tells how long the rest takes. */
export const RECENT_MS = 60_000;

/** What commits at once says nothing of a shorter time. */
const SHORTEST_MS = 1000;
/** And that nothing was done says nothing of a shorter one: it may be as slow. */
const QUIET_MS = 30_000;

/** The moments that still count, with the newest at the end. */
export const withMoment = (moments: readonly Moment[], newest: Moment): Moment[] => [
  ...moments.filter(({ at }) => newest.at - at <= RECENT_MS),
  newest,
];

/** A measured rate as it is told: of little not rounded to nothing, and not to twice as much. */
export const toldRate = (rate: number): number => (rate < 10 ? Number(rate.toPrecision(2)) : Math.round(rate));

/** How much is done a second over the moments kept; null when nothing can be said yet. */
export function recentRate(moments: readonly Moment[]): number | null {
  const [first, last] = [moments[0], moments.at(-1)];
  if (!first || !last) return null;
  const [ms, done] = [last.at - first.at, last.done - first.done];
  return ms < (done === 0 ? QUIET_MS : SHORTEST_MS) ? null : (done * 1000) / ms;
}
