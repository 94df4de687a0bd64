import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// A lock between processes of one machine: a file with the holder's pid. A holder that died no longer holds it.

/**
 * @returns the pid of the process that holds the lock, or 0 when it is now ours; it is let go when this process ends or by `release`
 */
export function tryLock(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      process.once('exit', () => release(file));
      return 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = holderOf(file);
    if (holder === process.pid) return 0;
    if (holder && isAlive(holder)) return holder;
    rmSync(file, { force: true });
  }
}

/** Lets the lock go if it is ours. */
export function release(file: string): void {
  if (holderOf(file) === process.pid) rmSync(file, { force: true });
}

/** Does `work` while no other process does work under the same lock; `waiting` is called once when another one has it. */
export async function oneAtATime<T>(file: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tryLock(file) !== 0; tries++) {
    if (tries === 0) waiting();
    await sleep(500);
  }
  try {
    return await work();
  } finally {
    release(file);
  }
}

function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
