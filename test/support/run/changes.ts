import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { LONG } from './files.ts';

/**
 * The tests of what is not on main yet, committed or not: a changed test itself, and of a changed file those in the folder of tests that has the same name
 * (of core/crm/queue.ts those in test/core/crm), but for the long ones.
 * @returns patterns of files; none where there is no git
 */
export function testsOfChanges(): string[] {
  const base = git('merge-base', 'main', 'HEAD')[0] ?? 'HEAD';
  const changed = [...git('diff', '--name-only', '--diff-filter=d', base), ...git('ls-files', '--others', '--exclude-standard')];
  return changed.flatMap((file) => {
    if (file.endsWith('.test.ts')) return [file];
    return globSync(`test/${dirname(file)}/*.test.ts`).filter((test) => !LONG.includes(test));
  });
}

function git(...args: string[]): string[] {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter(Boolean);
  } catch {
    return [];
  }
}
