import { setTimeout as sleep } from 'node:timers/promises';

/** So long a database that was lost is waited for; one that restarts is back by then. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 250;

/**
 * Writes what nobody else knows, again and again until the database has it.
 * @param write may be done twice: its answer alone can have been lost
 * @throws what it failed with last
 */
export async function outlast<T>(write: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}
