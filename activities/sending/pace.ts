import type pg from 'pg';

/** How long an unused allowance lasts, in seconds: it bounds the burst after a pause, so that no minute exceeds the rate by more than one percent. */
const BURST_SECONDS = 0.5;

export interface Allowance {
  /** Mails that may be sent now. */
  granted: number;
  /** Milliseconds until the next one is due, when fewer were granted than wanted. */
  waitMs: number;
}

/**
 * Draws mails from the mailing's token bucket. It is one row of the database under the database's clock, so the rate holds over all workers together,
 * whatever their clocks say and whoever dies. Its commit does not wait for the disk (set_config holds for this statement's transaction): a power cut
 * may forget some milliseconds of allowance, nothing else.
 * @param now seconds since the epoch in tests with a simulated clock; null is the database's clock
 */
export async function drawAllowance(
  db: pg.Pool | pg.PoolClient,
  mailingId: number,
  wanted: number,
  now: number | null = null,
): Promise<Allowance> {
  const { rows } = await db.query({
    name: 'draw-allowance',
    text: `
      update send_run r set paid_until = b.base + b.granted / b.rate
      from (
        select base, rate, least($2::float8, floor((t.now - base) * rate + 1e-6)) as granted, t.now
        from (
          select rate, greatest(paid_until, c.now - greatest(${BURST_SECONDS}, 1 / rate)) as base, c.now
          from (select coalesce($3::float8, extract(epoch from clock_timestamp())::float8) as now) c, send_run,
            set_config('synchronous_commit', 'off', true)
          where mailing_id = $1 for update of send_run) t) b
      where r.mailing_id = $1
      returning b.granted::int as granted, (1000 * (r.paid_until + 1 / r.rate - b.now))::float8 as wait_ms`,
    values: [mailingId, wanted, now],
  });
  const row = rows[0];
  return row ? { granted: Math.max(0, row.granted), waitMs: Math.max(1, Math.ceil(row.wait_ms)) } : { granted: 0, waitMs: 1000 };
}

/** Gives back mails drawn and not sent. */
export async function refundAllowance(db: pg.Pool | pg.PoolClient, mailingId: number, mails: number): Promise<void> {
  await db.query({
    name: 'refund-allowance',
    text: 'update send_run set paid_until = paid_until - $2::float8 / rate where mailing_id = $1 and rate is not null',
    values: [mailingId, mails],
  });
}
