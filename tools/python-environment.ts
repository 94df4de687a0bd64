import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../embedded/cache-folder.ts';

/**
 * A Python environment with one package in it, made once per user.
 * @param requirement as pip takes it, with the exact version: `parsons==6.1.0`
 * @param options further words for pip, and variables it runs with
 * @returns the folder of its programs
 * @throws Error when there is no Python 3.10 or newer with venv, or the package cannot be had
 */
export async function pythonEnvironment(
  requirement: string,
  say: (what: string) => void,
  options: { words?: string[]; variables?: Record<string, string> } = {},
): Promise<string> {
  const folder = cacheFolder(requirement.replace('==', '-'));
  const [programs, done] = [join(folder, 'bin'), join(folder, 'installed')];
  if (existsSync(done)) return programs;
  say(`installing ${requirement}`);
  const run = promisify(execFile);
  try {
    await run('python3', ['-m', 'venv', folder]);
    const words = ['install', '--quiet', '--disable-pip-version-check', ...(options.words ?? []), requirement];
    await run(join(programs, 'pip'), words, { env: { ...process.env, ...options.variables } });
    writeFileSync(done, '');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const why = (error as { stderr?: string }).stderr || (error as Error).message;
    throw new Error(`${requirement} needs Python 3.10 or newer with venv and pip: ${why}`);
  }
  return programs;
}
