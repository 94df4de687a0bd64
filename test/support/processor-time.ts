import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Processor time that this thread takes for `work`, in milliseconds of a usual machine. Whatever else the machine has to do is not in it; what its neighbours on
 * the same processors slow it down is taken out (`slowness`).
 */
export function processorMs(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  return since(began) / slowness();
}

/** The most processor time that this thread takes between two turns of its event loop, while `work` goes on: so long nobody else is answered. In milliseconds as above. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, over] = [0, false];
  let last = process.threadCpuUsage();
  const look = () => {
    longest = Math.max(longest, since(last));
    last = process.threadCpuUsage();
  };
  const turn = () => {
    look();
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    look();
    over = true;
  }
  return longest / slowness();
}

/**
 * The same of the shortest of some goes: what is not in `work` itself does not come each time, such as neighbours that come and go faster than `slowness` sees. The first below
 * `bar` is enough. Before another go the garbage is collected: that of the tests before would be in each, where they have left hundreds of megabytes.
 */
export async function everyTurnMs(bar: number, work: () => Promise<unknown>): Promise<number> {
  let least = await longestTurnMs(work);
  for (let goes = 1; goes < 8 && least >= bar; goes++) {
    collectGarbage();
    least = Math.min(least, await longestTurnMs(work));
  }
  return least;
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** What `work` below takes on a machine on which the limits in tests were set, in milliseconds. */
const USUAL_MS = 12;

/** How many times as long this machine takes for the same work now as a usual one, at least 1: processors that are lent to others, too, are slower, by their own clock as well. */
export function slowness(): number {
  if (performance.now() - measured.at > 1000) measured = { at: performance.now(), slowness: measure() };
  return measured.slowness;
}

let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };

function measure(): number {
  const took = Array.from({ length: 5 }, () => {
    const began = process.threadCpuUsage();
    work();
    return since(began);
  });
  return Math.max(1, took.sort((a, b) => a - b)[2]! / USUAL_MS);
}

const LIST = Array.from({ length: 8000 }, (_, n) => ({ n, name: `person ${n}`, email: `person${n}@example.org` }));
const work = () => JSON.stringify(JSON.parse(JSON.stringify(LIST))).replace(/person(\d+)/g, (_, n) => n.toUpperCase());

function since(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
