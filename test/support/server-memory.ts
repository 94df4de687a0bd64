import { readdirSync, readFileSync } from 'node:fs';

const PAGE_MB = 4096 / 1024 / 1024;

/** Megabytes of memory a PostgreSQL server holds: what its processes have of their own, and once what they share. */
export function serverMemory(postmaster: number): number {
  let own = 0;
  let shared = 0;
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    const [, resident = 0, common = 0] = read(`/proc/${pid}/statm`).split(' ').map(Number);
    own += resident - common;
    shared = Math.max(shared, common);
  }
  return (own + shared) * PAGE_MB;
}

/** How many statements of reports its processes are at, by their titles; one that waits for a table is being parsed. */
export const runningReports = (postmaster: number): number =>
  childrenOf(postmaster).filter((pid) => /campaign_report .* (PARSE|SELECT)/.test(read(`/proc/${pid}/cmdline`))).length;

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Whose child each process is that was there at the last look. It stays so: to ask all of a machine fifty times a second takes a good part of it. */
let parents = new Map<number, number | null>();

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  parents = new Map(pids.map((pid) => [pid, parents.get(pid) ?? parentOf(pid)]));
  return pids.filter((pid) => parents.get(pid) === parent);
}

function parentOf(pid: number): number | null {
  const [, parent] = /\) \S (\d+)/.exec(read(`/proc/${pid}/stat`)) ?? [];
  return parent === undefined ? null : Number(parent);
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
