import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Runs a program that uses the client in Python.
 * @param variables of its environment, where the platform is among them
 * @returns the lines it prints; null where there is no Python
 */
export async function runPythonClient(program: string, variables: Record<string, string>): Promise<string[] | null> {
  const env = { ...process.env, ...variables, PYTHONPATH: join(import.meta.dirname, '../../clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
  try {
    const { stdout } = await promisify(execFile)('python3', ['-c', program], { env });
    return stdout.trim().split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
