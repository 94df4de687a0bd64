export interface Deviations {
  /** Percent of the rate, 0 or less and 0 or more. */
  slowest: number;
  fastest: number;
}

/**
 * Over every run of as many mails as `seconds` should have, how far its rate is off. Counted so, and not as mails within a minute, because thirty mails a
 * minute and one more are three percent.
 * @param times when each mail came, in milliseconds, in order
 * @param without runs in which this moment lies are left out
 */
export function deviations(times: readonly number[], rate: number, seconds: number, without: number | null = null): Deviations {
  const mails = Math.max(1, Math.round(rate * seconds));
  const expected = mails / rate;
  let [slowest, fastest] = [0, 0];
  for (let first = 0; first + mails < times.length; first++) {
    const [from, to] = [times[first] as number, times[first + mails] as number];
    if (without !== null && from <= without && without <= to) continue;
    const off = 100 * (expected / ((to - from) / 1000) - 1);
    slowest = Math.min(slowest, off);
    fastest = Math.max(fastest, off);
  }
  return { slowest: Math.round(slowest * 100) / 100, fastest: Math.round(fastest * 100) / 100 };
}
