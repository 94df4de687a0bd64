/** Mails between "marked sending, committed" and "outcome committed", per connection: what a SIGKILL leaves uncertain at most. */
const WINDOW_PER_CONNECTION = 2;

/** A slice's part of the relay. */
export interface Part {
  readonly mailingId: number;
  /** Recipients that may be marked `sending` on its behalf just now. */
  sending: number;
  /** Most mails it had on the wire lately: this second and the one before. */
  peak: number;
  peakBefore: number;
  since: number;
}

/** How many recipients a slice may mark `sending`. */
export interface Window {
  /** How many more, when so many of its mails are on the wire. */
  room(onTheWire: number): number;
  /** Tells how many may be marked now, and until it is told again. */
  note(sending: number): void;
}

const PERIOD_MS = 1000;

/**
 * Who may fill how much of the relay: mailings share the connections evenly, and the slices of one mailing its part. What a slow one does not use is
 * there for the others. Whatever the shares are, all together never mark more than two for each connection.
 */
export class Shares {
  readonly #parts = new Set<Part>();

  begin(mailingId: number): Part {
    const part = { mailingId, sending: 0, peak: 0, peakBefore: 0, since: performance.now() };
    this.#parts.add(part);
    return part;
  }

  ofMailing(mailingId: number): number {
    let many = 0;
    for (const part of this.#parts) if (part.mailingId === mailingId) many++;
    return many;
  }

  end(part: Part): void {
    this.#parts.delete(part);
  }

  /** How many recipients are marked `sending` just now on behalf of all slices of this process: what its death leaves uncertain at most. */
  get sending(): number {
    let all = 0;
    for (const { sending } of this.#parts) all += sending;
    return all;
  }

  /** @param connections of the relay, asked each time: with several relays they change */
  window(part: Part, connections: () => number): Window {
    return {
      room: (onTheWire) => {
        const most = connections() * WINDOW_PER_CONNECTION;
        let free = most - onTheWire;
        // A share may shrink faster than what was begun under it is done.
        for (const other of this.#parts) if (other !== part) free -= other.sending;
        return Math.max(0, Math.min(free, this.#share(part, most, onTheWire) - onTheWire));
      },
      note(sending) {
        part.sending = sending;
      },
    };
  }

  #share(part: Part, most: number, onTheWire: number): number {
    const now = performance.now();
    if (now - part.since > PERIOD_MS) {
      part.peakBefore = now - part.since > 2 * PERIOD_MS ? 0 : part.peak;
      part.peak = 0;
      part.since = now;
    }
    part.peak = Math.max(part.peak, onTheWire);
    if (this.#parts.size === 1) return most;
    if (this.#parts.size > most) return this.#hasTurn(part, most, now) ? 1 : 0;
    const slices = new Map<number, number>();
    for (const { mailingId } of this.#parts) slices.set(mailingId, (slices.get(mailingId) ?? 0) + 1);
    const fair = ({ mailingId }: Part) => most / slices.size / (slices.get(mailingId) as number);
    let taken = 0;
    for (const other of this.#parts) {
      // A connection's worth more than it used, so that it can grow into its share.
      if (other !== part) taken += Math.min(fair(other), Math.max(other.peak, other.peakBefore) + WINDOW_PER_CONNECTION);
    }
    return Math.max(1, Math.floor(most - taken));
  }

  /** With more slices than mails that may be on the way, one after another has a period. */
  #hasTurn(part: Part, most: number, now: number): boolean {
    const first = (Math.floor(now / PERIOD_MS) * most) % this.#parts.size;
    const place = [...this.#parts].indexOf(part);
    return (place - first + this.#parts.size) % this.#parts.size < most;
  }
}
