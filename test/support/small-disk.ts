import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from './data-folder.ts';
import { atEnd } from './endings.ts';

/** A file system of its own, small enough to be filled. */
export interface SmallDisk {
  folder: string;
  /** Takes all room there is; files that are there keep theirs. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Whether anything may be changed on it. */
  setReadOnly(readOnly: boolean): void;
}

/**
 * Mounts one in memory, until the tests of this file are over.
 * @param folder made when it is not there
 * @param size as mount takes it
 */
export function smallDisk(folder: string, size: string): SmallDisk {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder], { stdio: 'pipe' });
  // Whatever still runs on it keeps it until it ends.
  atEnd(() => execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' }));
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (const block of [Buffer.alloc(1 << 16), Buffer.alloc(1)]) writeUntilFull(file, block);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    setReadOnly: (readOnly) => execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder], { stdio: 'pipe' }),
  };
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Why no file system can be mounted here; empty when one can. */
export function whyNotMountable(): string {
  try {
    const folder = dataFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? (error as Error).message).trim() || 'mount failed';
  }
}
