import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does one after the other in this process, and one for all who asked meanwhile: it begins after each of them asked.
 * @param longestMs one that takes longer is waited for no more: it may never end
 */
export function oneAtATime<Result>(work: () => Promise<Result>, longestMs: number): () => Promise<Result> {
  let atWork: Promise<Result> | null = null;
  let next: Promise<Result> | null = null;
  const begin = (): Promise<Result> => {
    const begun = work().finally(() => {
      if (atWork === begun) atWork = null;
    });
    atWork = begun;
    return begun;
  };
  const after = async (before: Promise<Result>): Promise<Result> => {
    await Promise.race([before.catch(() => {}), sleep(longestMs, undefined, { ref: false })]);
    next = null;
    return begin();
  };
  return () => {
    if (atWork === null && next === null) return begin();
    next ??= after(atWork!);
    return next;
  };
}
