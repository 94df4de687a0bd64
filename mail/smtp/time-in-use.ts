import { readFileSync } from 'node:fs';

/**
 * The part of the time since it was asked last that this thread worked or wanted to, 0 to 1.
 * By what Linux says of it: how long it ran, and how long it had something to do and no processor to do it on. The event loop takes the latter for leisure, so that
 * several workers on few processors would each seem to have time to spare. Elsewhere the loop is asked.
 */
export function timeInUse(): () => number {
  try {
    let [last, asked] = [runnableMs(), performance.now()];
    return () => {
      const [next, now] = [runnableMs(), performance.now()];
      const use = (next - last) / (now - asked);
      [last, asked] = [next, now];
      return use;
    };
  } catch {
    let last = performance.eventLoopUtilization();
    return () => {
      const next = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(next, last);
      last = next;
      return utilization;
    };
  }
}

/** Milliseconds on a processor and waiting for one, of this thread (Linux, Documentation/scheduler/sched-stats). @throws Error where there is no such file */
function runnableMs(): number {
  const [ran, waited] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return (Number(ran) + Number(waited)) / 1_000_000;
}
