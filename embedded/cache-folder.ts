import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The per-user folder for what takes long to get: `$XDG_CACHE_HOME/campaign-platform`, or `~/.cache/campaign-platform`. */
export function cacheFolder(...below: string[]): string {
  const home = process.env['XDG_CACHE_HOME'] || (homedir() ? join(homedir(), '.cache') : tmpdir());
  const folder = join(home, 'campaign-platform', ...below);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const DOWNLOADS = 'https://temporal.download/';
const REMEMBERED_MS = 60 * 60 * 1000;

/** Whether Temporal's download service answers, asked for at most five seconds; that it does not is remembered for an hour. */
export async function downloadsAnswer(): Promise<boolean> {
  const failed = join(cacheFolder(), 'downloads-do-not-answer');
  const known = statSync(failed, { throwIfNoEntry: false });
  if (known && Date.now() - known.mtimeMs < REMEMBERED_MS) return false;
  try {
    await fetch(DOWNLOADS, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
    return true;
  } catch {
    writeFileSync(failed, '');
    return false;
  }
}
