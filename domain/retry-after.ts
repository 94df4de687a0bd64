/**
 * How long an answer asks to be left alone, by its Retry-After: seconds, or a date.
 * @param date of the answer, by their clock, which may be hours off ours
 * @returns seconds from now, at least one; null when it says nothing usable
 */
export function retryAfter(header: string | null | undefined, date: string | null | undefined): number | null {
  if (!header) return null;
  const theirNow = Date.parse(date ?? '') || Date.now();
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - theirNow) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(1, seconds);
}
