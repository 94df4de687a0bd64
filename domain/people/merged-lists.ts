/** Who is on which lists before a merge. */
export interface Lists {
  primary: number[];
  /** Of all merged users together. */
  merged: number[];
  /** The re-engagement list, if anybody here is on it. */
  reengagement: number | null;
}

/**
 * The lists the primary user is on after a merge. Only lists somebody in the merge is on can be among them. The re-engagement list is never
 * joined; who is on it stays, unless the wish is to be on none.
 * @param wanted null: not given, every subscription is merged; empty: none
 */
export function mergedLists({ primary, merged, reengagement }: Lists, wanted: number[] | null): number[] {
  if (wanted?.length === 0) return [];
  const there = new Set([...primary, ...merged]);
  const chosen = (wanted ?? [...there]).filter((id) => there.has(id) && id !== reengagement);
  if (reengagement !== null && primary.includes(reengagement)) chosen.push(reengagement);
  return [...new Set(chosen)].sort((a, b) => a - b);
}
