/** The ranges among places as `zips` holds them, `10001-10099`: in order, without overlaps, as few as can be. */
export function mergeZipRanges(places: readonly string[]): [from: string, to: string][] {
  const ranges = places.filter((place) => /^\d{5}-\d{5}$/.test(place)).map((place) => place.split('-') as [string, string]);
  const merged: [string, string][] = [];
  for (const [from, to] of ranges.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = merged.at(-1);
    if (last && Number(from) <= Number(last[1]) + 1) last[1] = to > last[1] ? to : last[1];
    else merged.push([from, to]);
  }
  return merged;
}

/** Every number of five digits from the first to the last, whether a zip or not. */
export const zipsBetween = ([from, to]: readonly [string, string]): string[] =>
  Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => String(Number(from) + index).padStart(5, '0'));
