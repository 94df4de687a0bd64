import type { HostileInput } from './hostile-inputs.ts';
import type { Held } from './loop-watch.ts';
import { forgetPeakMemory, peakMemory } from './process-cost.ts';
import type { WatchedApi } from './watched-api.ts';
import type { WatchedProcess } from './watched-process.ts';
import type { WorkerInput } from './worker-attack.ts';

/** Nothing a caller sends may keep the others waiting longer, by processor time of the thread: a machine that is busy with other things makes no difference. */
export const LONGEST_HOLD_MS = 100;

/** What came of one input. */
export interface Attacked {
  name: string;
  /** Status of the answer, 0 for none; what became of it in a worker, null when it came to no end. */
  outcome: number | string | null;
  /** The longest hold: milliseconds of the thread's own processor time, and by the clock. */
  cpuMs: number;
  wallMs: number;
  /** Until it was answered, or over. */
  seconds: number;
  /** The most resident memory of the process meanwhile, and how much more that is than it had before. */
  peakMb: number;
  grewMb: number;
}

type Say = (result: Attacked) => void;

/** Sends the inputs one after the other to an API that has nothing else to do. */
export async function attackApi(api: WatchedApi, inputs: HostileInput[], say: Say = () => {}): Promise<Attacked[]> {
  // What a process loads at the first use of something is not the caller's doing.
  for (const input of inputs) if (/as may be|lines of 5/.test(input.name)) await api.send(input);
  return attacked(
    api,
    inputs.map((input) => ({ name: input.name, run: () => api.send(input) })),
    say,
  );
}

/** Has a worker that has nothing else to do work on the inputs, one after the other. */
export async function attackWorker(worker: WatchedProcess, inputs: WorkerInput[], say: Say = () => {}): Promise<Attacked[]> {
  const kinds = ['send', 'confirm', 'import'].map((kind) => inputs.find(({ name }) => name.startsWith(`${kind}: `)));
  for (const input of new Set([...kinds, ...inputs.filter(({ name }) => /as may be/.test(name))])) await input?.run();
  return attacked(worker, inputs, say);
}

async function attacked(
  watched: { pid: number; held(): Promise<Held> },
  inputs: { name: string; run(): Promise<number | string | null> }[],
  say: Say,
): Promise<Attacked[]> {
  let { memory } = await watched.held();
  const results: Attacked[] = [];
  for (const { name, run } of inputs) {
    forgetPeakMemory(watched.pid);
    const began = performance.now();
    const outcome = await run();
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const held = await watched.held();
    const peak = peakMemory(watched.pid);
    const memoryCost = { peakMb: Math.round(peak / 1e6), grewMb: Math.round(Math.max(0, peak - memory) / 1e6) };
    memory = held.memory;
    const result = { name, outcome, cpuMs: Math.round(held.cpuMs), wallMs: Math.round(held.wallMs), seconds, ...memoryCost };
    results.push(result);
    say(result);
  }
  return results;
}

/** Whether it kept others waiting, was not foreseen, or got no answer. */
export const isBad = ({ cpuMs, outcome }: Attacked): boolean =>
  cpuMs > LONGEST_HOLD_MS || outcome === null || outcome === 0 || (Number(outcome) >= 500 && outcome !== 503);

export const lineOf = (result: Attacked): string =>
  `${isBad(result) ? '!' : ' '} ${String(result.outcome).padStart(9)} ${String(result.cpuMs).padStart(6)} ms ${String(result.peakMb).padStart(5)} MB ${`+${result.grewMb}`.padStart(5)} ${String(result.seconds).padStart(5)} s  ${result.name}`;
