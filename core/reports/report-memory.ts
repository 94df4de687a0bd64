import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import type net from 'node:net';
import { promisify } from 'node:util';
import type { Client } from '../../db/driver.ts';

// PostgreSQL bounds the memory of a sort, and of nothing else: an aggregate, a hash of one value or a text that doubles takes what there is. Where the
// server runs on this machine the kernel can be told to give its process no more, or at least the process can be watched; elsewhere the settings of
// the login and the bounds of statements are all there is.

const LOOK_MS = 20;
const PAGE_BYTES = 4096;

interface Watched {
  pid: number;
  mostBytes: number;
  told: () => void;
}

const watched = new Set<Watched>();
let looking: NodeJS.Timeout | undefined;

/**
 * Watches the memory of the process behind a connection, if it is one of this machine.
 * @param told once, when it holds more than `mostBytes` of its own
 * @returns ends the watch; calling it twice does no harm
 */
export function watchMemory(client: Client, mostBytes: number, told: () => void): () => void {
  const pid = localProcess(client);
  if (pid === null) return () => undefined;
  const one = { pid, mostBytes, told };
  watched.add(one);
  looking ??= setInterval(look, LOOK_MS).unref();
  return () => {
    watched.delete(one);
    if (watched.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  };
}

function look(): void {
  for (const one of [...watched]) {
    if ((ownBytes(one.pid) ?? 0) <= one.mostBytes) continue;
    watched.delete(one);
    one.told();
  }
}

/** Whether `prlimit` is there and may be used. */
let limitable = true;

/**
 * Has the kernel give the process behind a connection no more memory than this: what it asks for beyond is refused at that moment, and the statement ends
 * as PostgreSQL's own "out of memory". However fast it grows and however busy this process is, it never holds more. The process serves this connection
 * only, so nobody else has less. It can be done on Linux, by root or the user PostgreSQL runs as; otherwise nothing happens.
 */
export async function limitMemory(client: Client, mostBytes: number): Promise<void> {
  const pid = limitable ? localProcess(client) : null;
  if (pid === null) return;
  try {
    const { uid, gid } = statSync(`/proc/${pid}`);
    // As the user it runs as: root in a container may not change limits of others.
    await run('prlimit', ['--pid', String(pid), `--data=${mostBytes}:${mostBytes}`], process.getuid?.() === 0 ? { uid, gid } : {});
  } catch (error) {
    // Of a process that has ended meanwhile, or a machine that could start none just now, nothing is learned about the next.
    const { code } = error as { code?: string | number };
    if (localProcess(client) === pid && (code === 'ENOENT' || typeof code === 'number')) limitable = false;
  }
}

const run = promisify(execFile);

/** What the process holds and shares with nobody; null when it is gone. */
function ownBytes(pid: number): number | null {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ').map(Number);
    return (resident - shared) * PAGE_BYTES;
  } catch {
    return null;
  }
}

/** A pooler, a container or another machine has processes of the same numbers: the server's title names the port of our end. */
function localProcess(client: Client): number | null {
  const { processID: pid, connection } = client as unknown as Connected;
  const port = connection.stream.localPort;
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return pid && port && title.startsWith('postgres:') && title.includes(`(${port})`) ? pid : null;
  } catch {
    return null;
  }
}

/** What of the driver's connection is used here. */
interface Connected {
  processID: number | null;
  connection: { stream: net.Socket };
}
