import { writeSync } from 'node:fs';

/** A reader of our pipe that is slow is waited for: so often, for so long each time. */
const WAITS = 100;
const WAIT_MS = 10;

/**
 * Where log lines go: a descriptor that may take none for a while, a full disk or a pipe whose reader left. What it does not take is lost and counted,
 * and the process goes on: it serves people, and its log only tells of it.
 * @param told how many lines were lost, once there is room again
 */
export function logLines(fd: number, told: (lost: number) => void): { write(line: string): void } {
  let lost = 0;
  let torn = false;
  return {
    write(line) {
      const bytes = Buffer.from(torn ? `\n${line}` : line);
      const written = writeAll(fd, bytes, lost ? 0 : WAITS);
      if (written > 0) torn = written < bytes.length;
      if (written < bytes.length) {
        lost++;
        return;
      }
      const before = lost;
      lost = 0;
      if (before) told(before);
      // The word of it was lost itself.
      if (before && lost) lost += before - 1;
    },
  };
}

/** @returns bytes it took: a disk that fills up takes a part of a line */
function writeAll(fd: number, bytes: Buffer, waits: number): number {
  let written = 0;
  for (let waited = 0; written < bytes.length; ) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || waited++ >= waits) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
  return written;
}
