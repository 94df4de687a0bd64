import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { FileError } from '../../domain/errors.ts';

const ROOT = join(import.meta.dirname, '../..');

/** @throws Error with what git says */
export const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The commit that a tag, a branch or a commit's own name stands for. @throws FileError where git knows none */
export function commitOf(reference: string): string {
  try {
    return git('rev-parse', '--verify', `${reference}^{commit}`);
  } catch (error) {
    throw new FileError(`git knows no ${reference} here`, { cause: error });
  }
}

/** The newest tag of a release, `v1.2.3`; null where there is none, or no git. */
export function newestRelease(): string | null {
  try {
    return git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')[0] || null;
  } catch {
    return null;
  }
}
