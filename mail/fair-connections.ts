import type { Socket } from 'node:net';
import { callerKey } from '../domain/caller-key.ts';

/** Connections of strangers, so many at a time. Where there are no more, whoever holds most of them makes room for who holds fewer: nobody alone keeps all others away. */
export class FairConnections {
  /** By caller, the oldest first. */
  readonly #held = new Map<string, Set<Socket>>();
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns whether it may stay */
  take(socket: Socket): boolean {
    const caller = callerKey(socket.remoteAddress ?? '');
    const own = this.#held.get(caller) ?? new Set();
    if (this.#count >= this.#most) {
      const largest = [...this.#held.values()].reduce((most, each) => (each.size > most.size ? each : most), own);
      if (largest.size <= own.size + 1) return false;
      const [oldest] = largest;
      oldest!.destroy();
      this.#leave(oldest!);
    }
    this.#held.set(caller, own.add(socket));
    this.#count++;
    socket.once('close', () => this.#leave(socket));
    return true;
  }

  #leave(socket: Socket): void {
    for (const [caller, held] of this.#held) {
      if (!held.delete(socket)) continue;
      this.#count--;
      if (held.size === 0) this.#held.delete(caller);
      return;
    }
  }
}
