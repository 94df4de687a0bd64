import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Keeps a short text in a file, all of it or what was there before: a full disk would leave an empty file where a port or a password stood.
 * @throws what the disk says, when the text is not there already
 */
export function keepFile(path: string, text: string, mode?: number): void {
  if (readKept(path) === text) return;
  const fresh = `${path}.new`;
  try {
    writeFileSync(fresh, text, { mode });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** @returns the text; empty when there is none */
export function readKept(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  }
}
