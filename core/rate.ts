import type { Pool, PoolClient } from '../db/driver.ts';

/** One rate, whoever draws from it: it is kept in the database, under its clock, so it holds over all workers together, whatever their clocks say and whoever dies. */
export interface Rate {
  /** `mailing 7`, `relay host:port`, `domain example.org`, `crm`. */
  key: string;
  perSecond: number;
  /** Seconds for which an unused allowance lasts. */
  burst: number;
  /** Seconds beyond the present that may be drawn for; none unless given. */
  ahead?: number;
}

export interface Drawn {
  granted: number;
  /** Milliseconds until the next is due; with a rate drawn ahead, until the one granted is. */
  waitMs: number;
}

/**
 * Draws from a rate; less than nothing gives back. The formula is the database's function `draw_from_rate`.
 * @param now seconds since the epoch in tests with a simulated clock; null is the database's clock
 * @param heldSeconds nobody gets anything for so long
 */
export async function drawFromRate(
  db: Pool | PoolClient,
  { key, perSecond, burst, ahead = 0 }: Rate,
  wanted: number,
  now: number | null = null,
  heldSeconds: number | null = null,
): Promise<Drawn> {
  const { rows } = await db.query<{ granted: number; free_in: number }>({
    name: 'draw-from-rate',
    text: 'select granted, free_in from draw_from_rate($1, $2, $3, $4, $5, $6, $7)',
    values: [key, perSecond, wanted, burst, ahead, heldSeconds, now],
  });
  const { granted, free_in: freeIn } = rows[0]!;
  return { granted, waitMs: 1000 * freeIn };
}
