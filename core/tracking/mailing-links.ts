import type { Pool } from '../../db/driver.ts';

const LINKS_KEPT = 200;

/**
 * Known for longer they are looked at again: a mailing stopped, edited and queued again has more links, and where a failover has lost a mailing, its number is that of
 * another one since, which leads elsewhere. Not by everybody who follows one, or makes up numbers.
 */
const FRESH_MS = 1_000;
/** Nobody who follows a link that is known waits for longer than this while the database is away. */
const PATIENCE_MS = 1_000;

interface Known {
  links: string[];
  at: number;
}

/** Links of mailings by number, kept in memory. */
export class MailingLinks {
  readonly #kept = new Map<number, Known>();
  readonly #reading = new Map<number, Promise<Known>>();
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @returns undefined where the mailing has no such link */
  async of(mailingId: number, link: number): Promise<string | undefined> {
    const known = this.#kept.get(mailingId);
    if (known && performance.now() - known.at < FRESH_MS) return known.links[link];
    const read = this.#reading.get(mailingId) ?? this.#read(mailingId);
    const { links } = await (known?.links[link] === undefined ? read : soonOr(read, known));
    return links[link];
  }

  /** Once for all who ask meanwhile. */
  #read(mailingId: number): Promise<Known> {
    const read = this.#pool
      .query('select number, url from core_mailinglink where mailing_id = $1 order by number', [mailingId])
      .then(({ rows }) => {
        const known = { links: rows.map((row) => row.url as string), at: performance.now() };
        if (this.#kept.size >= LINKS_KEPT && !this.#kept.has(mailingId)) this.#kept.delete(this.#kept.keys().next().value as number);
        this.#kept.set(mailingId, known);
        return known;
      })
      .finally(() => this.#reading.delete(mailingId));
    this.#reading.set(mailingId, read);
    return read;
  }
}

/** What is read, or what was known where the database does not say within moments: that is good for as long as if it had. */
async function soonOr(read: Promise<Known>, known: Known): Promise<Known> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, null);
  });
  const found = await Promise.race([read.catch(() => null), late]);
  clearTimeout(timer);
  if (found) return found;
  known.at = performance.now();
  return known;
}
