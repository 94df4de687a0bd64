import { readFileSync } from 'node:fs';

/**
 * The part of the time since it was asked last that this thread worked or wanted to, 0 to 1.
 * By what Linux says of it: how long it ran, and how long it had something to do and no processor to do it on. The event loop takes the latter for leisure, so that
 * several workers on few processors would each seem to have time to spare. Where Linux says nothing the loop is asked.
 */
export function timeInUse(): () => number {
  const look = () => ({ at: performance.now(), loop: performance.eventLoopUtilization(), runnable: runnableMs() });
  let last = look();
  return () => {
    const [before, now] = [last, look()];
    last = now;
    if (before.runnable === null || now.runnable === null) return performance.eventLoopUtilization(now.loop, before.loop).utilization;
    return (now.runnable - before.runnable) / (now.at - before.at);
  };
}

/**
 * Milliseconds on a processor and waiting for one, of this thread (Linux, Documentation/scheduler/sched-stats). @returns null where there is no such file, where it
 * is not kept (zeros), and where it cannot be read just now: a process may have no descriptor left, and a send goes on without.
 */
function runnableMs(): number | null {
  try {
    const [ran, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return (Number(ran) + Number(waited)) / 1_000_000 || null;
  } catch {
    return null;
  }
}
