import type { Pool } from '../../db/driver.ts';
import type { CoreDeps } from '../deps.ts';
import { CrmBusy } from './crm.ts';

/** Longest a request waits inside an activity for its turn; for more the caller is sent away with a time to come back. */
const AHEAD_SECONDS = 5;

/**
 * The limit on requests to one external system. It is one row under the database's clock, so it holds over all workers together; each
 * request pays for its turn, and turns lie 1/rate apart.
 */
export class CrmPace {
  readonly #pool: Pool;
  readonly #name: string;
  readonly #rate: number;
  readonly #clock: CoreDeps['clock'];

  constructor(deps: Pick<CoreDeps, 'pool' | 'clock'>, name: 'crm' | 'partner', rate: number) {
    this.#pool = deps.pool;
    this.#name = name;
    this.#rate = rate;
    this.#clock = deps.clock;
  }

  /** Waits for a turn. @throws CrmBusy when it lies too far ahead; then none was taken */
  async turn(): Promise<void> {
    const now = this.#now();
    const { rows } = await this.#pool.query<{ taken: boolean; wait_ms: number }>({
      name: 'crm-turn',
      // The insert is the first turn ever; the update fails its condition when the next turn is too far ahead.
      text: `
        with c as (select coalesce($3::float8, extract(epoch from clock_timestamp())::float8) as now, 1 / $2::float8 as step),
        paid as (
          insert into crm_pace as p (name, paid_until) select $1, now + step from c
          on conflict (name) do update set paid_until = greatest(p.paid_until, excluded.paid_until - (select step from c)) + (select step from c)
            where p.paid_until < (select now from c) + $4::float8
          returning paid_until - (select step from c) as at)
        select paid.at is not null as taken,
          (1000 * (coalesce(paid.at, (select paid_until from crm_pace where name = $1)) - c.now))::float8 as wait_ms
        from c left join paid on true`,
      values: [this.#name, this.#rate, now, AHEAD_SECONDS],
    });
    const { taken, wait_ms: waitMs } = rows[0]!;
    if (!taken) throw new CrmBusy('the limit on requests is used up', Math.max(100, waitMs));
    if (!this.#clock) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // A simulated clock may have been moved on by others since we asked.
    else await this.#clock.sleep(Math.max(0, waitMs - 1000 * (this.#now()! - now!)));
  }

  /** Nobody gets a turn for so long: the system asked for it. */
  async hold(ms: number): Promise<void> {
    await this.#pool.query(
      `insert into crm_pace as p (name, paid_until) values ($1, coalesce($3::float8, extract(epoch from clock_timestamp())::float8) + $2::float8)
       on conflict (name) do update set paid_until = greatest(p.paid_until, excluded.paid_until)`,
      [this.#name, ms / 1000, this.#now()],
    );
  }

  #now(): number | null {
    return this.#clock ? this.#clock.now() / 1000 : null;
  }
}
