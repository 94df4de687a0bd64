import { statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
/** What is there of files and programs of tests at a time, by far the most of it programs, and half as much again. */
const ROOM_BYTES = 12e9;

/**
 * Where tests keep what they write: as TMPDIR says, or in memory where there is plenty, for a database is a thousand files and nobody waits for a disk
 * that nothing outlives.
 * @returns for the environment of test processes
 */
export function testFolder(): { TMPDIR?: string } {
  if (process.env['TMPDIR']) return {};
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES ? { TMPDIR: IN_MEMORY } : {};
  } catch {
    return {};
  }
}
