const EVERY_MS = 500;
const PATIENCE_MS = 2_000;

/** Which of some APIs are ready, as a reverse proxy finds out. */
export interface Ready {
  /** All of them where none is. */
  readonly addresses: readonly string[];
  stop(): void;
}

/** Asks each for `/health/ready` twice a second. @param all host:port */
export function watchReady(all: readonly string[]): Ready {
  let ready: string[] = [];
  const isReady = async (address: string) => {
    try {
      const answer = await fetch(`http://${address}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  };
  const look = async () => {
    const found = await Promise.all(all.map(isReady));
    ready = all.filter((_, n) => found[n]);
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    get addresses() {
      return ready.length ? ready : all;
    },
    stop: () => clearInterval(timer),
  };
}
