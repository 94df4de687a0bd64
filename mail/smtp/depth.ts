import { timeInUse } from './time-in-use.ts';

/** No connection has use for more. */
const DEEPEST = 32;
/** How much of its time the process works: above, mails go together; below, apart. Where the database has the same cores, it waits for it a third of the time. */
const BUSY = { more: 0.55, less: 0.38 };
const LOOKS_EVERY_MS = 50;
/** After a rest nothing can be said of the time before it. */
const LOOKS_BACK_MS = 500;
/** Where mails together left time to spare, it was the relay that took it: so long they go apart. */
const APART_MS = 2_000;

/**
 * How many mails are given to one connection in one go. Several cost the process a part of what they cost apart: they go out in one write and their answers come in
 * one read. On connections of their own they are there sooner, where the relay takes its time over each. So they go together as far as the process has no
 * time to spare, and apart where it waits.
 * @param busy the part of the time since it was asked last that the process worked, 0 to 1
 */
export function createDepth(busy: () => number = timeInUse(), now = () => performance.now()): () => number {
  let [depth, looked, apartUntil] = [1, now(), 0];
  return () => {
    const since = now() - looked;
    if (since < LOOKS_EVERY_MS) return depth;
    looked += since;
    const use = busy();
    if (since > LOOKS_BACK_MS) return depth;
    if (use > BUSY.more && looked >= apartUntil) depth = Math.min(DEEPEST, 2 * depth);
    else if (use < BUSY.less && depth > 1) {
      depth /= 2;
      apartUntil = looked + APART_MS;
    }
    return depth;
  };
}
