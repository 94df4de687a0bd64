import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, downloadsAnswer } from './cache-folder.ts';
import { oneAtATime } from './pid-lock.ts';

const MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const DOWNLOAD_LIMIT_MS = 5 * 60_000;
const BUILD_LIMIT_MS = 30 * 60_000;

/**
 * The `temporal` program, first that is there: `given` (TEMPORAL_CLI_PATH); on PATH; downloaded by the Temporal SDK; built with Go.
 * The last two are kept in the per-user cache.
 * @param say told in a sentence what takes time
 * @throws Error saying what can be done when there is no way to get one
 */
export async function temporalBinary(given: string | undefined, say: (what: string) => void): Promise<string> {
  if (given) {
    if (!isExecutable(given)) throw new Error(`TEMPORAL_CLI_PATH: ${given} is not a program that can be run`);
    return given;
  }
  const there = onPath('temporal') ?? kept();
  if (there) return there;
  return oneAtATime(
    join(cacheFolder(), 'temporal.lock'),
    () => say('waiting for another process that is getting the Temporal server'),
    async () => kept() ?? (await downloaded(say)) ?? (await built(say)),
  );
}

/** The first file of that name on PATH that can be run. */
export function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function kept(): string | undefined {
  const download = (folder: string) =>
    readdirSync(folder)
      .filter((name) => /^temporal-(cli-)?sdk-typescript-[\d.]+$/.test(name))
      .sort()
      .map((name) => join(folder, name));
  return [join(cacheFolder('bin'), 'temporal'), ...download(cacheFolder('sdk')), ...download(tmpdir())].find(isExecutable);
}

async function downloaded(say: (what: string) => void): Promise<string | undefined> {
  if (!(await downloadsAnswer())) return undefined;
  say('downloading the Temporal development server (once, about 50 MB)');
  try {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const executable = { type: 'cached-download', downloadDir: cacheFolder('sdk') } as const;
    const started = TestWorkflowEnvironment.createLocal({ server: { executable } }).then((environment) => environment.teardown());
    await Promise.race([
      started,
      new Promise((_, reject) => setTimeout(() => reject(new Error('it took too long')), DOWNLOAD_LIMIT_MS).unref()),
    ]);
    return kept();
  } catch (error) {
    say(`the download failed: ${(error as Error).message}`);
    return undefined;
  }
}

async function built(say: (what: string) => void): Promise<string> {
  const go = onPath('go') ?? (isExecutable('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : undefined);
  if (!go) {
    throw new Error(
      'There is no Temporal server on this machine, it cannot be downloaded, and there is no Go to build one. Install the Temporal CLI ' +
        '(https://docs.temporal.io/cli), or name it in TEMPORAL_CLI_PATH, or name a running server in TEMPORAL_ADDRESS.',
    );
  }
  say('building the Temporal development server with Go: once, two to five minutes');
  const bin = cacheFolder('bin');
  const fresh = mkdtempSync(join(bin, 'building-'));
  try {
    await promisify(execFile)(go, ['install', MODULE], {
      env: { ...process.env, GOBIN: fresh, CGO_ENABLED: '0' },
      cwd: fresh,
      timeout: BUILD_LIMIT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    renameSync(join(fresh, 'temporal'), join(bin, 'temporal'));
  } catch (error) {
    const output = (error as { stderr?: string }).stderr ?? '';
    throw new Error(
      `The Temporal server could not be built with Go: ${output.split('\n').slice(-5).join('\n') || (error as Error).message}`,
    );
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return join(bin, 'temporal');
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
