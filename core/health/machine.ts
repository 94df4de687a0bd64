import { constants, existsSync, readFileSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Env } from '../../config/env.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';

const GB = 1024 ** 3;

const addressOfApi = (env: Env) => (env.API_URL ?? env.BASE_URL).replace(/\/+$/, '');

/** The API at API_URL: whether it is ready for what comes. */
export async function lookAtApi(env: Env): Promise<Finding> {
  const url = addressOfApi(env);
  try {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const said: unknown = await answer.json().catch(() => null);
    if (!isOurs(said))
      return wrong(
        'api',
        `something else than the API answers at ${url}, with ${answer.status}`,
        'look at API_URL and BASE_URL, or a proxy before it',
      );
    if (answer.ok) return well('api', url);
    const { status, ...parts } = said;
    const away = Object.entries(parts).map(([part, how]) => `${part} ${how}`);
    return wrong('api', `${url} is not ready: ${[status, ...away].join(', ')}`, 'see the lines above');
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    return wrong('api', `no answer from ${url}: ${cause?.message || message}`, 'npm run api, or look at API_URL and BASE_URL');
  }
}

/** As `/health/ready` of the API says it: how it is, and how its parts are unless it is about to end. Any server may answer at an address, and many with 200. */
function isOurs(said: unknown): said is Record<string, string> {
  const { status, database, workflows } = Object(said) as Record<string, unknown>;
  return (
    status === 'ending' || ((status === 'ok' || status === 'unavailable') && typeof database === 'string' && typeof workflows === 'string')
  );
}

/** The BASE_URL that the API at API_URL has, by where an answer without credentials leads for help; null where it does not tell. */
export async function baseUrlOfApi(env: Env): Promise<string | null> {
  const link = await fetch(`${addressOfApi(env)}/rest/v1/`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    .then(async ({ body, headers }) => {
      await body?.cancel();
      return headers.get('link');
    })
    .catch(() => null);
  return /^<(.+)\/docs\/errors\/#\d+>; rel="help"$/.exec(link ?? '')?.[1] ?? null;
}

const REFUSED = 'imports, merge files and results of reports are refused';

/** Room where uploads and results of reports go, and with npm start the database and logs. */
export async function lookAtDisk({ DATA_DIR }: Env): Promise<Finding> {
  const folder = existsSync(DATA_DIR) ? resolve(DATA_DIR) : process.cwd();
  // What is not there yet is made in it.
  const used = ['uploads', 'reports'].map((name) => join(folder, name)).map((path) => (existsSync(path) ? path : folder));
  for (const each of new Set([folder, ...used])) {
    const code = await access(each, constants.W_OK).catch((error) => error.code);
    if (code === 'EROFS') return wrong('disk', `${each} is mounted read-only`, `mount it for writing: ${REFUSED}`);
    if (code === 'EACCES' && used.includes(each))
      return wrong('disk', `${each} cannot be written to`, `have it belong to who runs API and workers, as this does: ${REFUSED}`);
  }
  const { bavail, bsize, files, ffree } = await statfs(folder);
  // Some have as many as there is room for, and say none.
  if (files > 0 && ffree === 0) return wrong('disk', `${folder} takes no more files, though it has room`, `remove some: ${REFUSED}`);
  const free = bavail * bsize;
  const says = `${(free / GB).toFixed(1)} GB free in ${folder}`;
  if (free < 0.1 * GB) return wrong('disk', says, 'make room: writes are refused when it is full');
  return free < 2 * GB ? look('disk', says, 'make room before it is full') : well('disk', says);
}

export function lookAtVersions(): Finding {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  const says = `platform ${version}, Node ${process.versions.node}`;
  const [major = 0] = process.versions.node.split('.').map(Number);
  return major < 24 ? look('versions', says, 'run it with the Node 24 that npm ci brings: npm run, not node') : well('versions', says);
}
