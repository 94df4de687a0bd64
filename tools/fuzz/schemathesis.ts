import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pythonEnvironment } from '../python-environment.ts';

const VERSION = '4.32.5';

/** The fuzzer's program, installed once per user. @throws Error when there is no Python 3.10 or newer with venv */
export const schemathesis = async (say: (what: string) => void): Promise<string> =>
  join(await pythonEnvironment(`schemathesis==${VERSION}`, say), 'schemathesis');

export interface FuzzOptions {
  baseUrl: string;
  login: { username: string; password: string };
  /** Cases for each operation and phase. */
  perOperation: number;
  seed: number;
  /** For reports; also the working directory. */
  folder: string;
  /** `/rest/v1/list/` and the like: only what begins with it. */
  only?: string | undefined;
}

/**
 * Calls every operation of the OpenAPI document with what its schema allows and with what it does not, then calls them one after another as their
 * answers suggest. An answer of 500 and above, of an undocumented status or type, or off its schema is a failure.
 * @returns the exit code: 0 when nothing failed
 */
export async function fuzz(program: string, { baseUrl, login, perOperation, seed, folder, only }: FuzzOptions): Promise<number> {
  const args = ['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', `${baseUrl}/rest/v1/openapi.json`];
  const checks =
    'not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method';
  args.push(
    '--url',
    baseUrl,
    '--auth',
    `${login.username}:${login.password}`,
    '--seed',
    String(seed),
    '--max-examples',
    String(perOperation),
  );
  args.push('--phases', 'coverage,fuzzing,stateful', '--checks', checks, '--continue-on-failure', '--workers', '1');
  // One worker: Python 3.11 cannot parse in several threads at once ("AST constructor recursion depth mismatch").
  args.push('--report', 'json', '--report-dir', folder, ...(only ? ['--include-path-regex', `^${only}`] : []));
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: import.meta.dirname },
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
