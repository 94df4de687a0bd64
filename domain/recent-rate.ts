/** How much was done by some moment. */
export interface Moment {
  /** Milliseconds of any clock, the same for all. */
  at: number;
  done: number;
}

/** What was done in so long a time tells how long the rest takes. */
export const RECENT_MS = 60_000;

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
  if (!first || !last || last.at <= first.at) return null;
  return ((last.done - first.done) * 1000) / (last.at - first.at);
}
