import type { Pool } from '../../db/driver.ts';
import type { DatabaseProbe } from '../../db/probe.ts';
import type { CompiledMailing, Relay } from '../../mail/contracts.ts';
import type { Clock } from '../deps.ts';
import type { DomainRates } from './domain-rates.ts';
import type { CommittedShards } from './lost-commits.ts';
import type { Window } from './shares.ts';

/** What a send slice tells after each of its commits. */
export interface Turn {
  /** What was committed. */
  done: { state: number }[];
  /** How long the commit took. */
  seconds: number;
}

/** Who is told of the commits of slices, and asks how many recipients are marked `sending`. */
export interface SendMetrics {
  turn(turn: Turn): void;
  watch(sending: () => number): void;
}

/** What a slice is given: everything it needs of the mailing, compiled, and the limits it keeps. */
export interface SliceSetup {
  mailingId: number;
  /** Which run of it: `send_run.started_at` as PostgreSQL writes it; null is whichever there is. */
  run: string | null;
  pool: Pool;
  relay: Relay;
  mail: CompiledMailing;
  /** From audienceQuery(). */
  audience: string;
  /** The lists somebody must still be on; null when any list will do. */
  lists: number[] | null;
  /** Mails per second over all workers; null is as fast as the relay takes them. */
  rate: number | null;
  /** Rates of recipient domains; null when there are none. */
  domains: DomainRates | null;
  /** Its part of what may be `sending` at a time, which it shares with the slices beside it. */
  window: Window;
  seconds: number;
  leaseSeconds: number;
  tries: number;
  /** So many refusals for good without a mail accepted between them, and it is the relay that is wrong, not the recipients. */
  refusedInARow: number;
  /** How many there were up to now: of all slices of this process, since at a low rate a slice has few mails. */
  refusals: { inARow: number };
  retrySeconds: number;
  /** Aborted: finish what is on the wire, record it, return. */
  stop: AbortSignal;
  /** Told of every commit. */
  metrics?: SendMetrics;
  /** Asked before anything is tried anew that the database has not answered: what it keeps waiting holds a connection of its own until it is answered. */
  database?: DatabaseProbe;
  /** What this process has committed of the mailing, whatever slice of it. */
  committed?: CommittedShards;
  /** By which it knows whether its lease holds, where a test brings one. */
  leaseClock?: () => number;
  /** A simulated clock for tests; the real one by default. */
  clock?: Clock;
}
