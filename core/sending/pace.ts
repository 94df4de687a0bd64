import type { Pool, PoolClient } from '../../db/driver.ts';
import type { Allowance } from '../../mail/bucket.ts';

/** How long an unused allowance lasts, in seconds: it bounds the burst after a pause, so that no minute exceeds the rate by more than one percent. */
const BURST_SECONDS = 0.5;

/**
 * Draws mails from the mailing's token bucket. It is one row of the database under the database's clock, so the rate holds over all workers together,
 * whatever their clocks say and whoever dies. Its commit does not wait for the disk (set_config holds for this statement's transaction): a power cut
 * may forget some milliseconds of allowance, nothing else. Nothing is ever paid for beyond the present, unless the clock was set back: then the present counts,
 * or the mailing would stand still until the clock is where it was.
 * @param now seconds since the epoch in tests with a simulated clock; null is the database's clock
 */
export async function drawAllowance(
  db: Pool | PoolClient,
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
          select rate, greatest(least(paid_until, c.now), c.now - greatest(${BURST_SECONDS}, 1 / rate)) as base, c.now
          from (select coalesce($3::float8, extract(epoch from clock_timestamp())::float8) as now) c, send_run,
            set_config('synchronous_commit', 'off', true)
          where mailing_id = $1 for update of send_run) t) b
      where r.mailing_id = $1
      returning b.granted::int as granted, (1000 * (r.paid_until + 1 / r.rate - b.now))::float8 as wait_ms`,
    values: [mailingId, wanted, now],
  });
  return allowanceOf(rows[0]) ?? { granted: 0, waitMs: 1000 };
}

/** Gives back mails drawn and not sent. */
export async function refundAllowance(db: Pool | PoolClient, mailingId: number, mails: number): Promise<void> {
  await db.query({
    name: 'refund-allowance',
    text: 'update send_run set paid_until = paid_until - $2::float8 / rate where mailing_id = $1 and rate is not null',
    values: [mailingId, mails],
  });
}

/**
 * Draws mails from the rate of a relay or a domain, which is the same over all mailings and workers; a bucket like the mailing's own.
 * @param rate mails per second, as this worker's settings say
 */
export async function drawPace(db: Pool, key: string, rate: number, wanted: number): Promise<Allowance> {
  const draw = async () => {
    const { rows } = await db.query({
      name: 'draw-pace',
      text: `
        update send_pace p set paid_until = b.base + b.granted / $3::float8
        from (
          select base, least($2::float8, floor((t.now - base) * $3::float8 + 1e-6)) as granted, t.now
          from (
            select greatest(least(paid_until, c.now), c.now - greatest(${BURST_SECONDS}, 1 / $3::float8)) as base, c.now
            from (select extract(epoch from clock_timestamp())::float8 as now) c, send_pace, set_config('synchronous_commit', 'off', true)
            where key = $1 for update of send_pace) t) b
        where p.key = $1
        returning b.granted::int as granted, (1000 * (p.paid_until + 1 / $3::float8 - b.now))::float8 as wait_ms`,
      values: [key, wanted, rate],
    });
    return allowanceOf(rows[0]);
  };
  const drawn = await draw();
  if (drawn) return drawn;
  await db.query('insert into send_pace (key) values ($1) on conflict do nothing', [key]);
  return (await draw()) ?? { granted: 0, waitMs: 1000 };
}

const allowanceOf = (row: { granted: number; wait_ms: number } | undefined): Allowance | null =>
  row ? { granted: Math.max(0, row.granted), waitMs: Math.max(1, Math.ceil(row.wait_ms)) } : null;
