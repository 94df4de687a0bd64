import type { Pool } from '../../db/driver.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { archiveRows } from './archive.ts';

/** Positions one transaction works through: a fraction of a second. */
const BATCH = 10_000;

export interface Compacted {
  moved: number;
  /** There is more to move. */
  more: boolean;
}

/**
 * Moves rows of ledgers completed long ago to the archive. May be run again after a crash at any moment.
 * @param keepDays how long a completed mailing's ledger stays as it is
 * @param stop aborted: the batch under way is the last
 */
export async function compact(pool: Pool, keepDays: number, stop: AbortSignal): Promise<Compacted> {
  let moved = 0;
  for (;;) {
    const { rows } = await pool.query<{ mailing_id: number; started_at: string; last: number }>(
      `select r.mailing_id, r.started_at::text, (select coalesce(max(position), 0) from send_ledger l where l.mailing_id = r.mailing_id) as last
        from send_run r join core_mailing m on m.id = r.mailing_id
        where r.compacted_at is null and m.status = 'completed' and m.finished_at < now() - make_interval(days => $1)
        order by m.finished_at limit 1`,
      [keepDays],
    );
    const run = rows[0];
    if (!run) return { moved, more: false };
    for (let from = 0; from < run.last; from += BATCH) {
      if (stop.aborted) return { moved, more: true };
      moved += await inOneTransaction(pool, (sql) => archiveRows(sql, run.mailing_id, from, from + BATCH));
    }
    // Unless it was taken up again meanwhile: then there is a newer run, and more to move.
    await pool.query('update send_run set compacted_at = now() where mailing_id = $1 and started_at = $2::timestamptz', [
      run.mailing_id,
      run.started_at,
    ]);
  }
}
