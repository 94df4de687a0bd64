import type { Pool } from '../../db/driver.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { CompiledMailing, Recipient } from '../../mail/contracts.ts';
import { recipientColumns } from './recipient-columns.ts';
import type { Shard } from './shards.ts';

/** A recipient as read: `suppressed` says why this person must not be mailed (any more). */
export type AudienceRow = Recipient & { suppressed: string | null };

/** Older than this a page is thrown away: who left the lists in between must not be mailed. */
export const PAGE_LIFETIME_MS = 2000;
const PAGE_ROWS = 2000;
const READ_MS = 60_000;

/**
 * The page query of one mailing: only the columns its templates use, and whether the person may still be mailed.
 * @param inTurns with domain rates a shard is read several times in one pass: then only for those who have not had their turn in it
 */
export function audienceQuery(mail: CompiledMailing, restrictedToLists: boolean, inTurns = false): string {
  return `
    select l.position, l.user_id, u.email${recipientColumns(mail)}, case
        when u.id is null then 'this user no longer exists'
        when u.subscription_status <> 'subscribed' then 'no longer subscribed: ' || u.subscription_status
        when exists (select from core_blackholedemail b where b.email = lower(u.email)) then 'this address is never mailed'
        ${restrictedToLists ? "when not exists (select from core_subscription s where s.user_id = u.id and s.list_id = any($5::int[])) then 'left the lists of this mailing'" : 'when $5::int[] is null then null'}
      end as suppressed
    from send_ledger l left join core_user u on u.id = l.user_id
    where l.mailing_id = $1 and l.position > $2 and l.position <= $3 and l.state = ${LEDGER_STATE.pending}
      ${inTurns ? 'and (l.changed_at is null or l.changed_at < $6::timestamptz)' : ''}
    order by l.position limit $4`;
}

/**
 * Reads a shard's pending recipients in order, a page at a time. `peek` and `advance` work on the page in memory; what has grown old is read again.
 * Pages are small when the rate is low, so that a page never outlives its usefulness.
 */
export class Audience {
  private page: AudienceRow[] = [];
  private at = 0;
  /** When the page was asked for. */
  readAt = 0;
  private cursor: number;
  private reading: Promise<void> | null = null;
  private exhausted = false;
  private readonly db: Pool;
  private readonly shard: Shard;
  private readonly query: string;
  private readonly lists: number[] | null;
  private readonly rows: number;
  private readonly inTurns: boolean;

  constructor(db: Pool, shard: Shard, query: string, lists: number[] | null, rate: number | null, inTurns = false) {
    this.db = db;
    this.shard = shard;
    this.query = query;
    this.lists = lists;
    this.inTurns = inTurns;
    this.cursor = shard.claimedTo;
    this.rows = Math.min(PAGE_ROWS, rate === null ? PAGE_ROWS : Math.max(1, Math.ceil(rate)));
  }

  /** The next recipient, or null when none is in memory (see `finished` and `more`). */
  peek(): AudienceRow | null {
    if (this.at < this.page.length && performance.now() - this.readAt > PAGE_LIFETIME_MS) this.discard();
    return this.page[this.at] ?? null;
  }

  advance(): void {
    const row = this.page[this.at++];
    if (row) this.cursor = row.position;
  }

  /** True when nobody is left behind the last one taken. */
  get finished(): boolean {
    return this.exhausted && this.at >= this.page.length;
  }

  /** Starts reading the next page when the present one is used up; resolves when there is something to peek at, or nothing left. */
  more(): Promise<void> {
    if (this.at < this.page.length || this.exhausted) return Promise.resolve();
    this.reading ??= this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private discard(): void {
    this.page = [];
    this.at = 0;
    this.exhausted = false;
  }

  private async read(): Promise<void> {
    const { mailingId, toPosition, passBegan } = this.shard;
    const started = performance.now();
    const page = {
      text: this.query,
      values: [mailingId, this.cursor, toPosition, this.rows, this.lists, ...(this.inTurns ? [passBegan] : [])],
      // Reading much of many people may take longer than anything else a slice does.
      query_timeout: READ_MS,
    };
    const { rows } = await this.db.query(page);
    this.page = rows;
    this.at = 0;
    this.readAt = started;
    this.exhausted = rows.length < this.rows;
  }
}
