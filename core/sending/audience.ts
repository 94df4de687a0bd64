import type { Pool } from '../../db/driver.ts';
import type { CompiledMailing, Recipient } from '../../mail/contracts.ts';
import { identifier, pageColumns } from './recipient-columns.ts';
import type { Look, Shard } from './shards.ts';

/** A recipient as read: `suppressed` says why this person must not be mailed (any more); `size` is what was read of them, in bytes. */
export type AudienceRow = Recipient & { suppressed: string | null; size: number };

/** Older than this a page is thrown away: who left the lists in between must not be mailed. */
export const PAGE_LIFETIME_MS = 2000;
const PAGE_ROWS = 2000;
const READ_MS = 60_000;

/**
 * The page query of one mailing, set-wise: who stands at the positions from $2 to $3 (of them only $4, unless that is null, and none of $5), with the columns its templates
 * use, and whether the person may still be mailed. Whoever is there `later` fits on the page no more.
 * People, memberships and addresses are each read by one walk through their index, in its order, which takes less than to look for each person. The planner takes what such a walk finds for ten
 * rows, and would go through all of them for every person: full joins it does by hashes or in order only. They are left joins all the same, since nothing is read but what belongs to the page.
 */
export function audienceQuery(mail: CompiledMailing, restrictedToLists: boolean): string {
  const { page, columns, joins } = pageColumns(mail);
  const read = [...new Set(['id', 'email', 'subscription_status', 'state', 'country', ...mail.userColumns])].map(identifier).join(', ');
  const onPage = 'any(array(select user_id from page))';
  return `
    with people as materialized (
      select position, b.user_ids[position - b.first + 1] as user_id
      from send_set b join generate_series($2::int, $3::int) as position on position between b.first and b.first + 999
      where b.mailing_id = $1 and b.first > $2 - 1000 and b.first <= $3 and b.user_ids[position - b.first + 1] <> 0
        and ($4::int[] is null or position = any($4)) and position <> all($5::int[])),
    page as materialized (${page}),
    users as materialized (select ${read} from core_user where id = ${onPage}),
    never as materialized (select email from core_blackholedemail where email = any(array(select lower(email) from users)))
    ${restrictedToLists ? `, members as materialized (select distinct user_id from core_subscription where user_id = ${onPage} and list_id = any($6::int[]))` : ''}
    select p.position, p.user_id, case when p.too_much then 0 else p.size end::int as size, p.later, u.email${columns}, case
        when u.id is null then 'this user no longer exists'
        when u.subscription_status <> 'subscribed' then 'no longer subscribed: ' || u.subscription_status
        when never.email is not null then 'this address is never mailed'
        when p.too_much then 'custom fields or the row of the merge file are too long for a mail'
        ${restrictedToLists ? "when member.user_id is null then 'left the lists of this mailing'" : 'when $6::int[] is null then null'}
      end as suppressed
    from page p full join users u on u.id = p.user_id full join never on never.email = lower(u.email)
      ${restrictedToLists ? 'full join members member on member.user_id = p.user_id' : ''}
      ${joins}
    order by p.position`;
}

/** Where reading goes on: at this index of those who are named, and once they are through, at this position. */
interface Place {
  again: number;
  position: number;
}

interface Page {
  rows: AudienceRow[];
  start: Place;
  end: Place;
  /** When it was asked for. */
  readAt: number;
}

const NOBODY: readonly AudienceRow[] = [];

/**
 * Reads a shard's pending recipients a page at a time: those the log names, then everybody above `claimedTo`. `peek` and `advance` work on the page in memory; the
 * next one is asked for when half of it is used, and what has grown old is read again.
 * Pages are small when the rate is low, so that a page never outlives its usefulness, and where much is read of each person, or
 * reading takes long: of a page that comes when it is old already nobody would ever be sent to.
 */
export class Audience {
  #page: Page | null = null;
  #at = 0;
  /** Where the next page begins. */
  #next: Place;
  #coming: Promise<Page> | null = null;
  readonly #db: Pool;
  readonly #shard: Shard;
  readonly #query: string;
  readonly #lists: number[] | null;
  readonly #look: Look;
  readonly #mostRows: number;
  #rows: number;

  /** @param query of audienceQuery() */
  constructor(db: Pool, shard: Shard, query: string, { lists, rate, look }: { lists: number[] | null; rate: number | null; look: Look }) {
    this.#db = db;
    this.#shard = shard;
    this.#query = query;
    this.#lists = lists;
    this.#look = look;
    this.#next = { again: 0, position: Math.max(shard.fromPosition, shard.claimedTo + 1) };
    this.#mostRows = Math.min(PAGE_ROWS, rate === null ? PAGE_ROWS : Math.max(1, Math.ceil(rate)));
    this.#rows = this.#mostRows;
  }

  /** When the page was asked for. */
  get readAt(): number {
    return this.#page?.readAt ?? 0;
  }

  /** The next recipient, or null when none is in memory (see `finished` and `more`). */
  peek(): AudienceRow | null {
    if (this.#page && this.#at < this.#page.rows.length && isOld(this.#page)) this.#discard(this.#page);
    return this.#left[this.#at] ?? null;
  }

  /** Those who come next, as far as they are in memory. Where their page has grown old by then they are read again: other rows come. */
  ahead(many: number): readonly AudienceRow[] {
    return this.#left.slice(this.#at, this.#at + many);
  }

  advance(): void {
    this.#at++;
    if (this.#at * 2 > this.#left.length) this.#readAhead();
  }

  /** True when nobody is left behind the last one taken. */
  get finished(): boolean {
    return this.#at >= this.#left.length && this.#isOver(this.#next);
  }

  /** Resolves when there is something to peek at, or nothing left. */
  async more(): Promise<void> {
    if (this.#at < this.#left.length || this.finished) return;
    this.#readAhead();
    const coming = this.#coming;
    try {
      const page = await coming;
      // Two may have waited for it.
      if (!page || this.#coming !== coming) return;
      if (!isOld(page)) [this.#page, this.#at, this.#next] = [page, 0, page.end];
    } finally {
      if (this.#coming === coming) this.#coming = null;
    }
  }

  get #left(): readonly AudienceRow[] {
    return this.#page?.rows ?? NOBODY;
  }

  #isOver({ again, position }: Place): boolean {
    return again >= this.#look.again.length && position > this.#shard.toPosition;
  }

  #readAhead(): void {
    if (this.#coming || this.#isOver(this.#next)) return;
    this.#coming = this.#read(this.#next);
    // Whoever asks for more is told.
    this.#coming.catch(() => {});
  }

  /** What is left of an old page is read again, from behind whoever was taken last. */
  #discard({ rows, start }: Page): void {
    const last = rows[this.#at - 1]?.position;
    const { again } = this.#look;
    if (last === undefined) this.#next = start;
    else if (start.again < again.length) this.#next = { again: again.indexOf(last) + 1, position: start.position };
    else this.#next = { again: again.length, position: last + 1 };
    [this.#page, this.#at, this.#coming] = [null, 0, null];
  }

  async #read(start: Place): Promise<Page> {
    const { again, beyond } = this.#look;
    const { mailingId, toPosition } = this.#shard;
    for (let place = start; ; ) {
      const readAt = performance.now();
      const named = again.slice(place.again, place.again + this.#rows);
      const to = Math.min(toPosition, place.position + this.#rows - 1);
      const [from, upTo] = named.length ? [named[0], named.at(-1)] : [place.position, to];
      const { rows: found } = await this.#db.query<AudienceRow & { later: boolean }>({
        text: this.#query,
        values: [mailingId, from, upTo, named.length ? named : null, named.length ? [] : beyond, this.#lists],
        // Reading much of many people may take longer than anything else a slice does.
        query_timeout: READ_MS,
      } as never);
      this.#fit(performance.now() - readAt);
      const full = found.find(({ later }) => later);
      const rows = full ? found.slice(0, found.indexOf(full)) : found;
      const end = named.length
        ? { ...place, again: place.again + (full ? named.indexOf(full.position) : named.length) }
        : { ...place, position: full?.position ?? to + 1 };
      if (rows.length || this.#isOver(end)) return { rows, start: place, end, readAt };
      place = end;
    }
  }

  /** @param took milliseconds for the last page */
  #fit(took: number): void {
    if (took > PAGE_LIFETIME_MS / 2) this.#rows = Math.max(1, Math.floor((this.#rows * PAGE_LIFETIME_MS) / 4 / took));
    else if (took < PAGE_LIFETIME_MS / 8) this.#rows = Math.min(this.#mostRows, 2 * this.#rows);
  }
}

const isOld = ({ readAt }: Page): boolean => performance.now() - readAt > PAGE_LIFETIME_MS;
