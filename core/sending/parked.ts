import { type AudienceRow, PAGE_LIFETIME_MS } from './audience.ts';
import type { DomainRates, DomainRule } from './domain-rates.ts';

interface Line {
  rule: DomainRule;
  rows: { row: AudienceRow; readAt: number }[];
}

/** Bytes read of those who wait, in all lines. */
const MOST_HELD = 8_000_000;

/**
 * Recipients of a shard whose domain's rate is used up, waiting while the others are sent to. They are pending in the ledger all the time: who does not fit,
 * or has waited so long that he may have left the lists meanwhile, is simply met again when the shard is read again. So a line never holds more
 * than its rate lets through in the lifetime of a page.
 */
export class Parked {
  readonly #rates: DomainRates;
  readonly #lines = new Map<DomainRule, Line>();
  #held = 0;

  constructor(rates: DomainRates) {
    this.#rates = rates;
  }

  /** Whether a recipient read at `readAt` may have the mail now; otherwise he waits here, or is left for later. */
  lets(row: AudienceRow, readAt: number): boolean {
    const rule = this.#rates.ruleFor(row.email);
    if (!rule) return true;
    let line = this.#lines.get(rule);
    if (!line) {
      line = { rule, rows: [] };
      this.#lines.set(rule, line);
    }
    if (line.rows.length === 0 && rule.bucket.have(1) >= 1) {
      rule.bucket.take(1);
      return true;
    }
    if (line.rows.length < mostOf(rule) && this.#held + row.size <= MOST_HELD) {
      line.rows.push({ row, readAt });
      this.#held += row.size;
    }
    return false;
  }

  /** The next one whose turn has come. */
  next(): AudienceRow | null {
    const oldest = performance.now() - PAGE_LIFETIME_MS;
    for (const { rule, rows } of this.#lines.values()) {
      while (rows[0] && rows[0].readAt < oldest) this.#shift(rows);
      if (rows.length === 0 || rule.bucket.have(rows.length) < 1) continue;
      rule.bucket.take(1);
      return this.#shift(rows);
    }
    return null;
  }

  #shift(rows: Line['rows']): AudienceRow {
    const { row } = rows.shift()!;
    this.#held -= row.size;
    return row;
  }

  get waiting(): boolean {
    for (const { rows } of this.#lines.values()) if (rows.length > 0) return true;
    return false;
  }

  /** Milliseconds until the next turn may have come. */
  get waitMs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { rule, rows } of this.#lines.values()) if (rows.length > 0) least = Math.min(least, rule.bucket.waitMs);
    return least;
  }
}

const mostOf = ({ rate }: DomainRule) => Math.max(1, Math.ceil((rate * PAGE_LIFETIME_MS) / 1000));
