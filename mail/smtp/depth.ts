/** How many mails a connection is given at a time. */
const DEEPEST = 8;
/** How much of its time the process works: above, mails go together; below, apart. */
const BUSY = { more: 0.8, less: 0.5 };
const LOOKS_EVERY_MS = 50;

/**
 * How many mails are given to one connection in one go. Several cost the process a part of what they cost apart: they go out in one write and their answers come in
 * one read. On connections of their own they are there sooner, where the relay takes its time over each. So they go together as far as the process has no
 * time to spare, and apart where it waits.
 * @param busy the part of the time since it was asked last that the process worked, 0 to 1
 */
export function createDepth(busy: () => number = loopUse(), now = () => performance.now()): () => number {
  let [depth, looked] = [1, now()];
  return () => {
    if (now() - looked < LOOKS_EVERY_MS) return depth;
    looked = now();
    const use = busy();
    if (use > BUSY.more) depth = Math.min(DEEPEST, 2 * depth);
    else if (use < BUSY.less) depth = Math.max(1, depth / 2);
    return depth;
  };
}

function loopUse(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const next = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(next, last);
    last = next;
    return utilization;
  };
}
