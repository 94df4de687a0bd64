import { connect, createServer, type Socket } from 'node:net';

/**
 * What happens to the traffic of a wire. `drop`: packets are lost, so nothing arrives, ends of connections neither; when it is over TCP has sent
 * everything again, to a peer that may have given up long since.
 */
export type Trouble = 'none' | 'reset' | 'drop' | { delayMs: number };

/** All TCP connections from one part to another, through a place where they can be troubled. */
export interface Wire {
  /** 127.0.0.1:PORT, to be named instead of the target. */
  readonly address: string;
  readonly port: number;
  /** Bytes that have come from the side that connects. */
  carried(): number;
  /** `reset` ends what is open and refuses what is new until the next call. */
  set(trouble: Trouble): void;
  close(): void;
}

/**
 * @param target host:port
 * @param usualDelayMs what each way takes while there is no trouble
 */
export async function startProxy(target: string, usualDelayMs = 0): Promise<Wire> {
  const [host, port] = target.split(':') as [string, string];
  const state = { trouble: 'none' as Trouble, delayMs: usualDelayMs, carried: 0 };
  const pairs = new Set<Pair>();
  const server = createServer((near) => {
    if (state.trouble === 'reset') return near.resetAndDestroy();
    const pair = new Pair(near, connect(Number(port), host), state, () => pairs.delete(pair));
    pairs.add(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as { port: number }).port;
  return {
    address: `127.0.0.1:${own}`,
    port: own,
    carried: () => state.carried,
    set(trouble) {
      state.trouble = trouble;
      state.delayMs = typeof trouble === 'object' ? trouble.delayMs : usualDelayMs;
      for (const pair of pairs) {
        if (trouble === 'reset') pair.reset();
        else pair.pump();
      }
    },
    close() {
      for (const pair of pairs) pair.reset();
      server.close();
    },
  };
}

interface WireState {
  trouble: Trouble;
  delayMs: number;
  carried: number;
}

/** One connection and its continuation. */
class Pair {
  readonly #ways: [Way, Way];

  constructor(near: Socket, far: Socket, state: WireState, ended: () => void) {
    near.on('data', (chunk) => {
      state.carried += chunk.length;
    });
    this.#ways = [new Way(near, far, state), new Way(far, near, state)];
    let open = 2;
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('close', () => --open || ended());
    }
  }

  pump(): void {
    for (const way of this.#ways) way.pump();
  }

  reset(): void {
    for (const way of this.#ways) way.reset();
  }
}

/** One direction of a connection: bytes, and its end, in order and not before their time. */
class Way {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #state: WireState;
  readonly #line: { due: number; chunk: Buffer | null }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, state: WireState) {
    this.#from = from;
    this.#to = to;
    this.#state = state;
    from.on('data', (chunk: Buffer) => this.#put(chunk));
    from.on('error', () => {});
    from.on('close', () => this.#put(null));
  }

  pump(): void {
    clearTimeout(this.#timer);
    while (this.#line.length && this.#state.trouble !== 'drop') {
      const { due, chunk } = this.#line[0]!;
      const wait = due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.pump(), wait);
        return;
      }
      this.#line.shift();
      if (chunk) this.#to.write(chunk);
      else this.#to.destroy();
    }
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#line.length = 0;
    this.#from.resetAndDestroy();
  }

  #put(chunk: Buffer | null): void {
    const last = this.#line.at(-1)?.due ?? 0;
    this.#line.push({ due: Math.max(last, this.#state.delayMs ? performance.now() + this.#state.delayMs : 0), chunk });
    if (this.#line.length === 1) this.pump();
  }
}
