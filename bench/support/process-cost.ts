import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// What processes have cost so far, as Linux keeps it under /proc.

const TICKS_PER_SECOND = 100;

const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, which may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** All processes below this one or another, without those below `except`. */
export function descendants(except: number[] = [], root = process.pid): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // Gone between listing and reading.
    }
  }
  const isOurs = (pid: number): boolean => {
    if (except.includes(pid)) return false;
    const parent = parents.get(pid);
    return parent === root || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  return [...parents.keys()].filter(isOurs);
}

/** A process and all below it. */
export function family(pid: number): number[] {
  return [pid, ...descendants([], pid)];
}

/** Seconds of processor time of these processes and of their children that have ended. */
export function cpuSeconds(pids: number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      for (const field of statOf(pid).slice(11, 15)) ticks += Number(field);
    } catch {
      // Ended: its parent has its time now.
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** The most resident memory a process has had, since it began or that was forgotten, in bytes. */
export function peakMemory(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

/** What a process has now counts as the most it has had. */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
