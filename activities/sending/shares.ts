/** A slice's part of the relay. */
export interface Part {
  readonly mailingId: number;
  /** Most connections' worth of mails it had on the wire lately: this second and the one before. */
  peak: number;
  peakBefore: number;
  since: number;
}

const WINDOW_MS = 1000;

/**
 * Who may fill how much of the relay: mailings share the connections evenly, and the slices of one mailing its part. What a slow one does not use is
 * there for the others.
 */
export class Shares {
  readonly #parts = new Set<Part>();

  begin(mailingId: number): Part {
    const part = { mailingId, peak: 0, peakBefore: 0, since: performance.now() };
    this.#parts.add(part);
    return part;
  }

  has(mailingId: number): boolean {
    for (const part of this.#parts) if (part.mailingId === mailingId) return true;
    return false;
  }

  end(part: Part): void {
    this.#parts.delete(part);
  }

  /** @param used connections' worth of mails the slice has on the wire */
  of(part: Part, connections: number, used: number): number {
    const now = performance.now();
    if (now - part.since > WINDOW_MS) {
      part.peakBefore = now - part.since > 2 * WINDOW_MS ? 0 : part.peak;
      part.peak = 0;
      part.since = now;
    }
    part.peak = Math.max(part.peak, used);
    if (this.#parts.size === 1) return connections;
    const slices = new Map<number, number>();
    for (const { mailingId } of this.#parts) slices.set(mailingId, (slices.get(mailingId) ?? 0) + 1);
    const fair = ({ mailingId }: Part) => connections / slices.size / (slices.get(mailingId) as number);
    let taken = 0;
    for (const other of this.#parts) {
      // One more than it used, so that it can grow into its share.
      if (other !== part) taken += Math.min(fair(other), Math.max(other.peak, other.peakBefore) + 1);
    }
    return Math.max(1, Math.floor(connections - taken));
  }
}
