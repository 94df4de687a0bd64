import type { Client } from '@temporalio/client';

/** In milliseconds: so much is spent on those of a list that fail. Where the workflow service is away every one does, each after waiting for it. */
const PATIENCE_MS = 8000;
/**
 * The client itself would wait for an answer for as long as the connection is there. Less than the patience: one that has none is not the last. More than five seconds: so
 * long the service waits for the worker that had a run last before it asks another, also for a schedule that was changed this moment.
 */
const ANSWER_MS = 7000;

/**
 * Does the same with each of a list, one after the other. One at which that fails is no reason to leave all that comes after it.
 * @param work says how many it did
 * @returns how many were done in all
 * @throws the first failure, when each had its turn
 */
export async function eachInTurn<Thing>(
  things: readonly Thing[],
  work: (thing: Thing) => Promise<number>,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  const failures: unknown[] = [];
  let done = 0;
  let lostMs = 0;
  for (const thing of things) {
    const begun = performance.now();
    try {
      done += await work(thing);
    } catch (error) {
      failures.push(error);
      lostMs += performance.now() - begun;
      if (lostMs > patienceMs) break;
    }
  }
  if (failures.length > 0) throw failures[0];
  return done;
}

/** The same where each is asked after, or started, at the workflow service: what that does not answer in time has failed. */
export const eachAsking = <Thing>(temporal: Client, things: readonly Thing[], work: (thing: Thing) => Promise<number>): Promise<number> =>
  eachInTurn(things, (thing) => temporal.withDeadline(Date.now() + ANSWER_MS, () => work(thing)));

/** The same with all of them at once: none waits for answers that another does not get. */
export async function allAtOnce<Thing>(things: readonly Thing[], work: (thing: Thing) => Promise<number>): Promise<number> {
  return eachInTurn(await Promise.allSettled(things.map(work)), async (end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

/** Those for which the workflow service never answers would otherwise be the first each time, and all that come after them have no turn. */
export const inAnyOrder = <Thing>(things: readonly Thing[]): Thing[] =>
  things
    .map((thing) => ({ thing, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ thing }) => thing);
