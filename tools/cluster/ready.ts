import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 500;
const PATIENCE_MS = 1_000;

/** Which of some APIs are ready, as a reverse proxy finds out. */
export interface Ready {
  /** All of them where none is. */
  readonly addresses: readonly string[];
  stop(): void;
}

/** Asks each for `/health/ready` twice a second, whatever the others say. @param all host:port */
export function watchReady(all: readonly string[]): Ready {
  const ready = new Set<string>();
  const stopped = new AbortController();
  const watch = async (address: string) => {
    for (; !stopped.signal.aborted; await sleep(EVERY_MS)) {
      if (await isReady(address)) ready.add(address);
      else ready.delete(address);
    }
  };
  for (const address of all) void watch(address);
  return {
    get addresses() {
      return ready.size ? [...ready] : all;
    },
    stop: () => stopped.abort(),
  };
}

/** @param address host:port */
export async function isReady(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://${address}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
