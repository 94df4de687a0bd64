import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export interface SupervisorEvents {
  /** A part ended by itself; it is started again after `pauseMs`. */
  onCrash?: (name: string, how: string, pauseMs: number) => void;
  /** A part is up again. */
  onRestart?: (name: string) => void;
  /** Longest pause before a part that keeps failing is started again, in milliseconds. */
  longestPauseMs?: number;
}

interface Part {
  name: string;
  start: () => Promise<Child>;
  child: Child | null;
  startedAt: number;
  failures: number;
  watching: Promise<void>;
}

const LONGEST_PAUSE_MS = 30_000;
/** A part that ran this long has proven itself: its earlier failures are forgotten. */
const PROVEN_MS = 60_000;

/** Keeps server processes running: one that ends by itself is started again, after pauses that grow while it keeps failing. */
export class Supervisor {
  private readonly parts: Part[] = [];
  private readonly events: SupervisorEvents;
  private readonly ending = new AbortController();

  constructor(events: SupervisorEvents = {}) {
    this.events = events;
  }

  /**
   * Starts a part and watches over it from then on.
   * @param start resolves when the part is up; called again for every restart
   * @throws what `start` throws the first time
   */
  async add<Started extends Child>(name: string, start: () => Promise<Started>): Promise<Started> {
    const child = await start();
    const part: Part = { name, start, child, startedAt: Date.now(), failures: 0, watching: Promise.resolve() };
    part.watching = this.watch(part);
    this.parts.push(part);
    return child;
  }

  /** The process of a part; undefined while it is down or when there is none of that name. */
  pid(name: string): number | undefined {
    return this.parts.find((part) => part.name === name)?.child?.pid;
  }

  /** Stops all parts in order, the last one started first. */
  async stop(): Promise<void> {
    this.ending.abort();
    // Parts of one kind (`worker-1`, `worker-2`) end side by side.
    for (const kind of [...new Set(this.parts.map(({ name }) => name.split('-')[0]))].reverse()) {
      const ending = this.parts.filter(({ name }) => name.split('-')[0] === kind);
      await Promise.all(ending.map((part) => part.child?.stop()));
      await Promise.all(ending.map((part) => part.watching));
    }
  }

  private async watch(part: Part): Promise<void> {
    while (part.child) {
      const how = await part.child.exited;
      part.child = null;
      if (Date.now() - part.startedAt > PROVEN_MS) part.failures = 0;
      await this.revive(part, how);
    }
  }

  private async revive(part: Part, ended: string): Promise<void> {
    let how = ended;
    while (!this.ending.signal.aborted) {
      const pauseMs = part.failures ? Math.min(this.events.longestPauseMs ?? LONGEST_PAUSE_MS, 250 * 2 ** part.failures) : 0;
      part.failures += 1;
      this.events.onCrash?.(part.name, how, pauseMs);
      await sleep(pauseMs, undefined, { signal: this.ending.signal }).catch(() => {});
      if (this.ending.signal.aborted) return;
      try {
        const child = await part.start();
        part.startedAt = Date.now();
        if (this.ending.signal.aborted) return await child.stop();
        part.child = child;
        this.events.onRestart?.(part.name);
        return;
      } catch (error) {
        how = (error as Error).message;
      }
    }
  }
}
