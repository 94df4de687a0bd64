import type { Pool } from '../../db/driver.ts';
import type { CoreDeps } from '../deps.ts';
import { drawFromRate, type Rate } from '../rate.ts';
import { CrmBusy } from './crm.ts';

/** Longest a request waits inside an activity; for more the caller is sent away with a time to come back. */
const AHEAD_SECONDS = 5;

/**
 * The limit on requests to one external system. It holds over all workers together; requests lie 1/rate apart.
 */
export class CrmPace {
  readonly #pool: Pool;
  readonly #rate: Rate;
  readonly #clock: CoreDeps['clock'];

  constructor(deps: Pick<CoreDeps, 'pool' | 'clock'>, name: 'crm' | 'partner', rate: number) {
    this.#pool = deps.pool;
    this.#rate = { key: name, perSecond: rate, burst: 1 / rate, ahead: AHEAD_SECONDS };
    this.#clock = deps.clock;
  }

  /** Waits until the next request may go out. @throws CrmBusy when that lies too far ahead; then none was drawn */
  async wait(): Promise<void> {
    const now = this.#now();
    const { granted, waitMs } = await drawFromRate(this.#pool, this.#rate, 1, now);
    if (granted === 0) throw new CrmBusy('the limit on requests is used up, or it asked for a pause', Math.max(100, waitMs));
    if (!this.#clock) await new Promise((resolve) => setTimeout(resolve, waitMs));
    // A simulated clock may have been moved on by others since we asked.
    else await this.#clock.sleep(Math.max(0, waitMs - 1000 * (this.#now()! - now!)));
  }

  /** Nobody asks anything for so long: the system wished it. */
  async hold(ms: number): Promise<void> {
    await drawFromRate(this.#pool, this.#rate, 0, this.#now(), ms / 1000);
  }

  #now(): number | null {
    return this.#clock ? this.#clock.now() / 1000 : null;
  }
}
