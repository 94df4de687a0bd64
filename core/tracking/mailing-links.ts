import type { Pool } from '../../db/driver.ts';

const LINKS_KEPT = 200;

/** Links of mailings by number, kept in memory: they are frozen before the first mail leaves. */
export class MailingLinks {
  readonly #kept = new Map<number, { links: string[]; at: number }>();
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async of(mailingId: number): Promise<string[]> {
    const known = this.#kept.get(mailingId);
    // A mailing stopped, edited and queued again has more links: a minute old is old enough.
    if (known && performance.now() - known.at < 60_000) return known.links;
    const { rows } = await this.#pool.query('select number, url from core_mailinglink where mailing_id = $1 order by number', [mailingId]);
    const links = rows.map((row) => row.url as string);
    if (this.#kept.size >= LINKS_KEPT) this.#kept.delete(this.#kept.keys().next().value as number);
    this.#kept.set(mailingId, { links, at: performance.now() });
    return links;
  }
}
