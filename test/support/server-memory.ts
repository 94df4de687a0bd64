import { readdirSync, readFileSync } from 'node:fs';

const PAGE_MB = 4096 / 1024 / 1024;

/** Megabytes of memory a PostgreSQL server holds: what its processes have of their own, and once what they share. */
export function serverMemory(postmaster: number): number {
  let own = 0;
  let shared = 0;
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    const [, resident = 0, common = 0] = (statm(pid) ?? '').split(' ').map(Number);
    own += resident - common;
    shared = Math.max(shared, common);
  }
  return (own + shared) * PAGE_MB;
}

function statm(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/statm`, 'latin1');
  } catch {
    return null;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1]);
  } catch {
    return null;
  }
}

/** The server's first process, from one of its connections' on this machine. */
export const postmasterOf = (backend: number): number => parentOf(backend) ?? 0;

/** Looks every 20 ms. @returns ends that, and gives the most there was, in megabytes */
export function highestMemory(postmaster: number): () => number {
  let highest = serverMemory(postmaster);
  const timer = setInterval(() => {
    highest = Math.max(highest, serverMemory(postmaster));
  }, 20);
  return () => {
    clearInterval(timer);
    return Math.max(highest, serverMemory(postmaster));
  };
}
