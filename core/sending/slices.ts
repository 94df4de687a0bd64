import type { Pool } from '../../db/driver.ts';
import type { DatabaseProbe } from '../../db/probe.ts';
import type { SliceResult } from '../../domain/slice-result.ts';
import type { Clock, CoreDeps } from '../deps.ts';
import { CompiledRuns } from './compiled-runs.ts';
import { DomainRates } from './domain-rates.ts';
import { closedSlice, hoursByDatabase } from './hours.ts';
import { Committed } from './lost-commits.ts';
import { drawPace } from './pace.ts';
import { acceptedInAll } from './shards.ts';
import { Shares } from './shares.ts';
import { runSlice } from './slice.ts';
import type { SendMetrics } from './slice-setup.ts';
import { whyPutOff } from './why-put-off.ts';

export interface SlicesDeps extends Omit<CoreDeps, 'pool' | 'log'> {
  /**
   * At least two connections for each slice at a time: what is not answered within the lease has failed. While one writes the record of a shard, the other statements of its slice
   * take turns.
   */
  sendPool: Pool;
  database?: DatabaseProbe;
  /** Absent where nothing is measured. */
  metrics?: SendMetrics;
}

export interface SliceWish {
  mailingId: number;
  seconds: number;
  /** Aborted: finish what is on the wire, record it, return. */
  signal: AbortSignal;
  /** Called while a simulated clock sleeps. */
  beat: () => void;
}

/** The send slices of one process: what they share (compiled mailings, rates of domains, what may be on the wire) and how each is set up. */
export class Slices {
  readonly #deps: SlicesDeps;
  readonly #domains: DomainRates | null;
  readonly #compiled: CompiledRuns;
  readonly #committed = new Committed();
  readonly #shares = new Shares();

  constructor(deps: SlicesDeps) {
    const { sendPool, env, relay } = deps;
    this.#deps = deps;
    this.#domains = env.DOMAIN_RATES ? new DomainRates(env.DOMAIN_RATES, (...rule) => drawPace(sendPool, ...rule)) : null;
    this.#compiled = new CompiledRuns({ pool: sendPool, env, relay });
    deps.metrics?.watch(() => this.#shares.sending);
  }

  /** How many slices of this mailing are at work in this process. */
  ofMailing(mailingId: number): number {
    return this.#shares.ofMailing(mailingId);
  }

  /** What a slice comes to outside the sending hours; null within them, and where it would send nobody anything. */
  async closed(mailingId: number): Promise<SliceResult | null> {
    const { sendPool } = this.#deps;
    const hours = await hoursByDatabase(sendPool, this.#deps);
    return hours && !hours.open ? closedSlice(sendPool, mailingId, hours) : null;
  }

  /** Sends for a while: shard after shard, under their fences (docs/sending-guarantees.md). @throws NoRunError */
  async send({ mailingId, seconds, signal, beat }: SliceWish): Promise<SliceResult> {
    const { env, sendPool, database, metrics, shuttingDown, clock } = this.#deps;
    const part = this.#shares.begin(mailingId);
    try {
      const hours = await hoursByDatabase(sendPool, this.#deps);
      const run = await this.#compiled.of(mailingId);
      const result = await runSlice({
        mailingId,
        run: run.startedAt,
        pool: sendPool,
        relay: run.relay,
        mail: run.mail,
        audience: run.audience,
        lists: run.lists,
        rate: run.rate,
        domains: this.#domains,
        window: this.#shares.window(part, () => run.relay.connections),
        seconds: hours?.open ? Math.min(seconds, hours.closesInMs / 1000) : seconds,
        leaseSeconds: env.SEND_LEASE_SECONDS,
        tries: env.SEND_TRIES,
        refusedInARow: env.SEND_REFUSED_IN_A_ROW,
        refusals: run.refusals,
        retrySeconds: env.SEND_RETRY_SECONDS,
        committed: this.#committed.of(mailingId, run.startedAt),
        ...(metrics && { metrics }),
        ...(database && { database }),
        stop: AbortSignal.any([signal, shuttingDown]),
        ...(clock && { clock: beating(clock, beat) }),
      });
      // What was sent was sent, whether or not the database can be asked just now.
      const accepted = await acceptedInAll(sendPool, mailingId).catch(() => null);
      const told = accepted === null ? result : { ...result, acceptedInAll: accepted };
      return told.next === 'wait' ? { ...told, reason: await whyPutOff(sendPool, mailingId).catch(() => '') } : told;
    } finally {
      this.#shares.end(part);
    }
  }
}

/** A simulated hour may be slept through in no time, and longer than a heartbeat may be away. */
const beating = (clock: Clock, beat: () => void): Clock => ({
  now: clock.now,
  sleep: (ms) => {
    beat();
    return clock.sleep(ms);
  },
});
