// What clocks show somewhere, as the runtime's own tables of time zones have it. Such a time is written as the moment at which the clocks of UTC show it,
// in milliseconds: it can be counted with, whether or not it comes there.

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;

/** What the clocks of a zone show, to the minute, by the moment. */
export function clockOf(timeZone: string): (moment: number) => number {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts });
  return (moment) => {
    const shown = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day] = [shown['year']!, shown['month']! - 1, shown['day']!];
    // Years below 100 would be taken for those of the last century.
    return new Date(Date.UTC(2000, 0, 1, shown['hour'], shown['minute'])).setUTCFullYear(year, month, day);
  };
}

/** Times that never come: `until` is the first the clocks show after their jump. */
export interface Gap {
  from: number;
  until: number;
}

/** Where the clocks of a zone are put forward in a year of UTC, in order. */
export function gapsIn(year: number, timeZone: string): Gap[] {
  const clock = clockOf(timeZone);
  const ahead = (moment: number) => clock(moment) - moment;
  const gaps: Gap[] = [];
  const end = Date.UTC(year + 1, 0, 1);
  // What is put forward stays so for some weeks at least.
  for (let at = Date.UTC(year, 0, 1); at < end; at += WEEK) {
    let [before, after] = [at, Math.min(at + WEEK, end)];
    const jump = ahead(after) - ahead(before);
    if (jump <= 0) continue;
    while (after - before > MINUTE) {
      const middle = before + Math.floor((after - before) / MINUTE / 2) * MINUTE;
      if (ahead(middle) < ahead(after)) before = middle;
      else after = middle;
    }
    gaps.push({ from: clock(after) - jump, until: clock(after) });
  }
  return gaps;
}
