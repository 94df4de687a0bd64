import type { Pool } from '../../db/driver.ts';

const LINKS_KEPT = 200;

/** One that is not among the links known is looked for again, but not by everybody who makes up numbers. */
const FRESH_MS = 1_000;

/** Links of mailings by number, kept in memory: what has been mailed keeps its number. */
export class MailingLinks {
  readonly #kept = new Map<number, { links: string[]; at: number }>();
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @returns undefined where the mailing has no such link */
  async of(mailingId: number, link: number): Promise<string | undefined> {
    const known = this.#kept.get(mailingId);
    // A mailing stopped, edited and queued again has more links.
    if (known && (known.links[link] !== undefined || performance.now() - known.at < FRESH_MS)) return known.links[link];
    const { rows } = await this.#pool.query('select number, url from core_mailinglink where mailing_id = $1 order by number', [mailingId]);
    const links = rows.map((row) => row.url as string);
    if (this.#kept.size >= LINKS_KEPT) this.#kept.delete(this.#kept.keys().next().value as number);
    this.#kept.set(mailingId, { links, at: performance.now() });
    return links[link];
  }
}
