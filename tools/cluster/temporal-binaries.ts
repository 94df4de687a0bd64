import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../embedded/cache-folder.ts';
import { onPath } from '../../embedded/temporal-binary.ts';

const VERSION = 'v1.29.1';
const BUILD_LIMIT_MS = 30 * 60_000;

export interface TemporalBinaries {
  server: string;
  /** Makes and updates the tables. */
  sql: string;
}

function kept() {
  const bin = cacheFolder('bin', `temporal-cluster-${VERSION}`);
  return { bin, server: join(bin, 'server'), sql: join(bin, 'sql') };
}

/** Whether it would be there at once. */
export const isBuilt = (): boolean => existsSync(kept().server) && existsSync(kept().sql);

/**
 * The server as clusters run it, and its tool for tables: from the cache, or built with Go into it.
 * @param say told in a sentence what takes time
 * @throws Error where there is no Go
 */
export async function temporalBinaries(say: (what: string) => void): Promise<TemporalBinaries> {
  const { bin, ...found } = kept();
  if (isBuilt()) return found;
  const go = onPath('go') ?? '/usr/local/go/bin/go';
  if (!existsSync(go)) throw new Error('There is no Go on this machine to build the Temporal server with');
  say('building the Temporal server with Go: once, some minutes');
  for (const module of ['cmd/server', 'cmd/tools/sql']) {
    const env = { ...process.env, GOBIN: bin, CGO_ENABLED: '0' };
    await promisify(execFile)(go, ['install', `go.temporal.io/server/${module}@${VERSION}`], { env, cwd: bin, timeout: BUILD_LIMIT_MS });
  }
  return found;
}
