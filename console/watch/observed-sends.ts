import type { Watched } from '../../api/mailer/progress.ts';
import { type Moment, RECENT_MS, recentRate, withMoment } from '../../domain/recent-rate.ts';

/** So many sends are remembered; who is watched at all is few. */
const MOST = 500;
/** One moment a second is enough, however many watch. */
const APART_MS = 900;

/** Who is at work renews its lease with every commit: within so long, unless the rate lets it wait. */
const JUST_MS = 3_000;

/** What was seen of a send by those who have looked at it. */
export interface Observed {
  /** Mails a second over the last minute; null as long as it cannot be said. */
  rate: number | null;
  /** Since when no worker has answered for it, in ms; null while one does. */
  silentForMs: number | null;
}

interface Seen {
  runBegunMs: number | null;
  moments: Moment[];
  /** When it was asked first, with nobody answering since. */
  silentSince: number | null;
  pause: Watched['pause'];
}

/**
 * Remembers for a minute how far sends were when somebody looked: what the database knows is how far they are now. Each process has its own: all of them are true.
 * @param leaseMs how long who is at work on a send may not be heard of
 */
export class ObservedSends {
  readonly #seen = new Map<number, Seen>();
  readonly #leaseMs: number;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Takes in what is known of a send. */
  see(id: number, watched: Watched): Observed {
    const { state } = watched;
    const now = state.read_ms;
    const known = this.#seen.get(id);
    // A send that goes on after a stop is measured from there.
    const seen =
      known?.runBegunMs === state.run_begun_ms
        ? known
        : { runBegunMs: state.run_begun_ms, moments: begun(watched, now), silentSince: null, pause: null };
    this.#seen.delete(id);
    if (this.#seen.size >= MOST) this.#seen.delete(this.#seen.keys().next().value as number);
    this.#seen.set(id, seen);
    const moments = withMoment(seen.moments, { at: now, done: state.accepted });
    if (now - (seen.moments.at(-1)?.at ?? 0) >= APART_MS) seen.moments = moments;
    seen.silentSince = watched.live === null ? (seen.silentSince ?? now) : null;
    seen.pause = watched.pause;
    return { rate: recentRate(moments), silentForMs: this.#silence(watched, now, seen.silentSince) };
  }

  /** What can be said of a send whose run has not answered yet: a pause that was seen lasts until its end; the database knows who is at work. */
  recall(id: number, state: Watched['state']): { pause: Watched['pause']; silentForMs: number | null } {
    const now = state.read_ms;
    const seen = this.#seen.get(id);
    const pause = seen?.pause && Date.parse(seen.pause.until) > now ? seen.pause : null;
    return { pause, silentForMs: this.#silence({ state, live: null, pause }, now, seen?.silentSince ?? null) };
  }

  #silence({ state, live, pause }: Watched, now: number, silentSince: number | null): number | null {
    if (state.status === 'sending') {
      const unheardMs = state.held_for_ms === null ? 0 : Math.max(0, this.#leaseMs - state.held_for_ms);
      // Whoever has just renewed its lease is at work, whatever keeps its run from answering: the workflow service may be away.
      if (state.held_for_ms !== null && unheardMs < JUST_MS) return null;
      if (silentSince !== null) return Math.max(now - silentSince, unheardMs);
      // Another worker may answer for the run of one that hangs.
      return pause === null && unheardMs > this.#leaseMs ? unheardMs : null;
    }
    if (live !== null || (state.status !== 'queued' && state.status !== 'rebuilding_at_send')) return null;
    return silentSince === null ? null : now - silentSince;
  }
}

/** Of a send that began within the minute it is known how far it was then. */
function begun({ state }: Watched, now: number): Moment[] {
  const { status, run_begun_ms: at, accepted_before: done } = state;
  return status === 'sending' && at !== null && now - at <= RECENT_MS ? [{ at, done: done ?? 0 }] : [];
}
