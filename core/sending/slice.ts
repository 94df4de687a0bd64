// Long: one loop over one shard; what it knows of who is on the wire is shared by all its steps.

import type { SliceResult } from '../../domain/slice-result.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { Bucket } from '../../mail/bucket.ts';
import { type Mail, type Outcome, RenderError } from '../../mail/contracts.ts';
import { Audience, type AudienceRow } from './audience.ts';
import { endPass } from './end-pass.ts';
import { endLostRun } from './end-run.ts';
import { leaseClock } from './lease-clock.ts';
import { LostCommitsError } from './lost-commits.ts';
import { drawAllowance, refundAllowance } from './pace.ts';
import { Parked } from './parked.ts';
import { clip, settle } from './settle.ts';
import {
  commitTurn,
  freshFence,
  isSettled,
  LOST,
  lookAt,
  type Recorded,
  readEdits,
  reconcile,
  releaseShard,
  type Shard,
  shardsLeft,
  type TurnResult,
  takeShard,
} from './shards.ts';
import type { SliceSetup } from './slice-setup.ts';

const LONGEST_REST_MS = 250;
/** While the slices beside this one have all there is to have. */
const CROWDED_REST_MS = 25;
/** So long an outcome waits at most for others, to be recorded with them. */
const GATHER_MS = 3;
/** Once it was called off, what is written at all is written by then: so the last outcome is there after one more time limit of the relay. */
const LAST_WRITE_MS = 5_000;
/** A database that is away for everybody is often back by then: what is on the wire need not be uncertain because somebody was called off meanwhile. */
const LATE_MS = 3_000;

/** Reading may take longer than a lease lasts: outcomes are recorded and the lease renewed meanwhile. */
async function orSoon(reading: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const soon = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_REST_MS);
  });
  await Promise.race([reading, soon]);
  clearTimeout(timer);
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A shard in our hands: until when, and who of it is on the wire. */
interface Hold {
  /** By the lease clock; 0 when it is lost. */
  until: number;
  readonly wire: Set<number>;
  /** Who is pending by the log's word: they are claimed by name. */
  again: Set<number>;
  /** Of whom no words are to be kept. */
  forgotten: Set<number>;
  /** Whom others have settled since we took it. */
  readonly settled: Set<number>;
  /** Who is pending is not what we think any more. */
  stale: boolean;
}

const newHold = (until: number): Hold => ({
  until,
  wire: new Set(),
  again: new Set(),
  forgotten: new Set(),
  settled: new Set(),
  stale: false,
});

/** Sends what it can of a mailing within `seconds`, shard after shard. */
export async function runSlice(setup: SliceSetup): Promise<SliceResult> {
  const slice = new Slice(setup);
  try {
    return await slice.run();
  } finally {
    await slice.close();
  }
}

class Slice {
  private readonly setup: SliceSetup;
  private readonly counts = { accepted: 0, failed: 0, skipped: 0, uncertain: 0 };
  private answered = false;
  private readonly deadline: number;
  private outcomes: Recorded[] = [];
  private hold: Hold = newHold(0);
  private wake: () => void = () => {};
  /**
   * Mails of those who come next, by their rows: of a row that is read again there is none. A new map for each turn: one that lives long holds whatever it held until
   * it is collected itself, and all of that is copied meanwhile.
   */
  private prepared = new Map<AudienceRow, Mail>();
  /** Set once: why no further mail is begun. */
  private ending: Pick<SliceResult, 'next' | 'reason'> | null = null;
  /** Recipients could not be read, or the record of a shard not be written. */
  private failure: unknown = null;
  private passEnding: Promise<void> | null = null;
  /** It ends without waiting for the database. */
  private forfeit = false;
  /** This slice's end of the mailing's rate. */
  private readonly bucket: Bucket | null;
  /** What `setup.stop` says, which is a signal made of others and asks them all: too dear to be asked for each outcome. */
  private stopped: boolean;
  /** By the lease clock, when it was called off. */
  private calledOffAt = Number.POSITIVE_INFINITY;
  /** The slices beside this one left no room. */
  private crowded = false;
  /** Milliseconds until the relays' rates may allow the next mail, when they were what allowed none. */
  private relayWaitMs = Number.POSITIVE_INFINITY;

  private readonly leaseNow: () => number;
  /** By the lease clock, when it was looked whether commits were lost. */
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(setup: SliceSetup) {
    this.setup = setup;
    this.leaseNow = setup.leaseClock ?? leaseClock;
    this.deadline = this.now() + setup.seconds * 1000;
    const { pool, mailingId, rate, clock } = setup;
    const draw = (wanted: number) => drawAllowance(pool, mailingId, rate ?? 0, wanted, clock ? clock.now() / 1000 : null);
    this.bucket = rate === null ? null : new Bucket(draw, { now: () => this.now(), drawn: () => this.wake() });
    this.stopped = setup.stop.aborted;
    setup.stop.addEventListener('abort', () => {
      this.stopped = true;
      this.calledOff();
      this.wake();
    });
  }

  async run(): Promise<SliceResult> {
    const { pool, mailingId, run, leaseSeconds } = this.setup;
    await this.missLost(() => this.setup.committed?.check(pool));
    while (!this.isEnding()) {
      const asked = this.leaseNow();
      const shard = await takeShard(pool, mailingId, leaseSeconds, run);
      if (!shard) {
        if (await this.lastPassEnded()) continue;
        const { unfinished, waitMs, dueMs, goesOn } = await shardsLeft(pool, mailingId, run, this.setup.retrySeconds);
        if (unfinished === 0) return this.result('finished', 0);
        return goesOn ? { ...this.result('wait', waitMs), dueMs } : this.result('stop', 0);
      }
      this.hold = newHold(asked + leaseSeconds * 1000);
      await this.missLost(() => this.setup.committed?.check(pool));
      await this.work(shard);
    }
    await this.lastPassEnded();
    if (this.failure !== null) throw this.failure;
    return this.result(this.ending?.next ?? 'more', 0, this.ending?.reason);
  }

  /** Nothing of it goes on afterwards; and what was drawn from the rate and not used goes back, so that the gap between two slices loses nothing. */
  async close(): Promise<void> {
    if (this.forfeit) return;
    await this.lastPassEnded();
    const { pool, mailingId, rate, clock } = this.setup;
    await this.bucket?.drawing;
    const unused = this.bucket?.have(0) ?? 0;
    if (unused > 0 && rate !== null)
      await refundAllowance(pool, mailingId, rate, unused, clock ? clock.now() / 1000 : null).catch(() => {});
  }

  private now(): number {
    return this.setup.clock?.now() ?? performance.now();
  }

  private result(next: SliceResult['next'], waitMs: number, reason = ''): SliceResult {
    return { ...this.counts, answered: this.answered, next, waitMs, reason };
  }

  private calledOff(): void {
    this.calledOffAt = Math.min(this.calledOffAt, this.leaseNow());
  }

  private isEnding(): boolean {
    return this.ending !== null || this.failure !== null || this.stopped || this.now() >= this.deadline;
  }

  /** Works on one shard to its end, or ours, or until it is taken from us: then nothing more is written. */
  private async work(shard: Shard): Promise<void> {
    const { pool, domains, leaseSeconds, retrySeconds } = this.setup;
    let audience = await this.lookAt(shard);
    let parked = domains && new Parked(domains);
    let mails = new Map<number, Mail>();
    // What is on the wire is finished and recorded first, if it can be.
    const fails = (error: unknown) => {
      this.failure = error;
    };
    for (;;) {
      await this.gather();
      const ending = this.isEnding();
      if (!ending && !audience.finished && audience.peek() === null) await orSoon(audience.more().catch(fails));
      const next = ending ? [] : this.choose(audience, parked, mails);
      const renew = this.hold.until - this.leaseNow() < (leaseSeconds * 1000) / 2;
      if (next.length === 0 && this.outcomes.length === 0 && !renew) {
        // Where the others of the shard are done, it is left; only when all shards have been through is there time to wait.
        const waiting = shard.throttled && parked?.waiting;
        if (this.hold.wire.size === 0 && (ending || (audience.finished && !waiting))) break;
        // A whole page may be of people who wait: behind it there may be others.
        if (ending || audience.finished || audience.peek() !== null) await this.rest(parked);
        continue;
      }
      // When the statement has left, and not before: it leaves before the next turn of the event loop.
      if (!parked && this.setup.relay.isPressed) setImmediate(() => this.prepare(audience.ahead(next.length)));
      const turn = await this.turn(shard, next);
      if (!turn) {
        // What is still on the wire ends as it may: the new holder has marked it uncertain already.
        this.outcomes = [];
        this.hold.until = 0;
        this.hold.wire.clear();
        return;
      }
      if (turn.stopRequested || turn.begunAnew) {
        this.ending ??= { next: turn.stopRequested ? 'stop' : 'more', reason: '' };
        this.calledOff();
      }
      const begun = mails;
      mails = new Map();
      if (this.ending || this.failure !== null || this.stopped) this.putBack(turn.claimed);
      else for (const position of turn.claimed) this.launch(shard, position, begun.get(position) as Mail);
      if (this.hold.stale && !this.isEnding()) {
        audience = (await this.lookAt(shard).catch(fails)) ?? audience;
        parked = domains && new Parked(domains);
      }
    }
    if (audience.finished && !this.isEnding()) {
      await this.lastPassEnded();
      this.passEnding = endPass(pool, shard, retrySeconds, domains !== null).catch(fails);
    } else await releaseShard(pool, shard);
    if (this.failure !== null) throw this.failure;
  }

  /**
   * Waits for the end of the pass before, whose record is written while the next shard is sent: nothing of it is on the wire any more.
   * @returns whether there was one
   */
  private async lastPassEnded(): Promise<boolean> {
    if (!this.passEnding) return false;
    await this.passEnding;
    this.passEnding = null;
    return true;
  }

  /** Reads whom the log names; from then on we know who is pending. */
  private async lookAt(shard: Shard): Promise<Audience> {
    const { pool, audience, lists, rate } = this.setup;
    const look = await lookAt(pool, shard);
    this.hold.again = new Set(look.again);
    for (const position of look.beyond) this.hold.again.add(position);
    this.hold.forgotten = new Set(look.forgotten);
    this.hold.stale = false;
    return new Audience(pool, shard, audience, { lists, rate, look });
  }

  /**
   * The recipients to begin with now: as many as window and rate allow, rendered already, so that somebody whose mail cannot be made is skipped
   * without ever being marked `sending`.
   */
  private choose(audience: Audience, parked: Parked | null, mails: Map<number, Mail>): number[] {
    const { wire } = this.hold;
    const recording = this.outcomes.length;
    const room = this.setup.window.room(wire.size);
    this.crowded = room <= 0 && wire.size === 0;
    // Those being recorded make room for the next ones in one commit.
    this.setup.window.note(wire.size + recording);
    if (room <= 0) return [];
    const allowed = Math.min(room, this.allowance(room));
    const next: number[] = [];
    const take = (row: AudienceRow) => {
      try {
        mails.set(row.position, this.prepared.get(row) ?? this.setup.mail.render(row));
        next.push(row.position);
      } catch (error) {
        if (!(error instanceof RenderError)) throw error;
        this.skip(row.position, error.message);
      }
    };
    const turn = () => (parked && next.length < allowed ? parked.next() : null);
    for (let row = turn(); row; row = turn()) take(row);
    for (let row = audience.peek(); row && next.length < allowed; row = audience.peek()) {
      audience.advance();
      if (row.suppressed) {
        this.skip(row.position, row.suppressed);
      } else if (!parked || parked.lets(row, audience.readAt)) take(row);
      else this.passOver(row.position);
    }
    this.bucket?.take(next.length);
    this.setup.window.note(wire.size + Math.max(recording, next.length));
    return next;
  }

  /** Renders those who come next, while the database has the turn and this process has nothing to do but wait for it. */
  private prepare(rows: readonly AudienceRow[]): void {
    const prepared = new Map<AudienceRow, Mail>();
    for (const row of rows) {
      if (row.suppressed) continue;
      try {
        prepared.set(row, this.prepared.get(row) ?? this.setup.mail.render(row));
      } catch {
        // It fails again, and is told of, when it is their turn.
      }
    }
    this.prepared = prepared;
  }

  /** Those behind go first: the log says that whoever is passed over is pending. */
  private passOver(position: number): void {
    if (!this.hold.again.has(position)) this.outcomes.push({ position, state: LEDGER_STATE.pending, detail: null });
    this.hold.again.add(position);
  }

  private skip(position: number, reason: string): void {
    this.counts.skipped++;
    this.outcomes.push({ position, state: LEDGER_STATE.skipped, detail: clip(reason) });
  }

  /** How many mails the rates of mailing and relays allow now. */
  private allowance(room: number): number {
    const allowed = this.bucket ? Math.min(room, this.bucket.have(room)) : room;
    const { relay } = this.setup;
    this.relayWaitMs = Number.POSITIVE_INFINITY;
    if (!relay.admit || allowed === 0) return allowed;
    const { granted, waitMs } = relay.admit(allowed);
    if (granted === 0) this.relayWaitMs = waitMs;
    return granted;
  }

  private async turn(shard: Shard, next: number[]) {
    const { leaseSeconds, metrics } = this.setup;
    const done = this.outcomes;
    this.outcomes = [];
    const [asked, began] = [this.leaseNow(), performance.now()];
    let turn: TurnResult;
    try {
      turn = await this.commit(shard, done, next);
    } catch (error) {
      turn = await this.unlessForfeit(this.recover(shard, done, next, error), error);
    }
    if (!turn.held) return null;
    await this.missLost(() => this.setup.committed?.note(shard, shard.seq));
    // A failover may be met by no statement. What was lost of other shards has to be missed before their leases run out.
    if (asked - this.lookedAt > leaseSeconds * 250) {
      this.lookedAt = asked;
      await this.missLost(() => this.setup.committed?.check(this.setup.pool)).catch(() => {});
    }
    this.bucket?.take(turn.claimed.length - next.length);
    this.hold.until = asked + leaseSeconds * 1000;
    metrics?.turn({ done, seconds: (performance.now() - began) / 1000 });
    return turn;
  }

  /**
   * One turn. Where somebody of the shard was skipped, merged or erased since we looked, the outcomes are recorded with regard to that, and nobody is claimed
   * before we have looked again.
   */
  private async commit(shard: Shard, done: Recorded[], next: number[]): Promise<TurnResult> {
    const { pool, leaseSeconds } = this.setup;
    const { again, forgotten, settled } = this.hold;
    const said = done
      .filter(({ position }) => !settled.has(position))
      .map((each) => (each.detail !== null && forgotten.has(each.position) ? { ...each, detail: '' } : each));
    for (const position of next) {
      if (again.has(position)) said.push({ position, state: LEDGER_STATE.sending, detail: forgotten.has(position) ? '' : null });
    }
    const turn = await commitTurn(pool, shard, leaseSeconds, said, next);
    if (!turn.changed) return turn;
    const known = shard.seq;
    const edits = await readEdits(pool, shard);
    if (edits === null) return LOST;
    // It only ever grows.
    await this.missLost(() => {
      if (shard.seq < known) throw new LostCommitsError();
    });
    this.heed(edits);
    return this.commit(shard, done, []);
  }

  /** What others have written of the shard holds for whatever is recorded from now on, and nobody is claimed before we have looked again. */
  private heed(edits: Recorded[]): void {
    this.hold.stale = true;
    for (const each of edits) {
      if (each.state === LEDGER_STATE.sending) this.hold.forgotten.add(each.position);
      else if (isSettled(each)) this.hold.settled.add(each.position);
    }
  }

  /**
   * The database went away in a turn. While the lease lasts nobody else can have the shard, so what the relay answered is kept and recorded as soon as
   * the database is back; only past the lease is it given up, and then those mails are uncertain.
   */
  private async recover(shard: Shard, done: Recorded[], next: number[], cause: unknown): Promise<TurnResult> {
    const { pool, leaseSeconds } = this.setup;
    const fences = [shard.fence];
    // Whom others settled before its last try is settled.
    let [left, unclaimed] = [done, next.filter((position) => !this.hold.settled.has(position))];
    for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
      await later(pause);
      try {
        await this.setup.database?.confirming(leaseSeconds * 1000);
        await this.missLost(() => this.setup.committed?.check(pool));
        const fresh = freshFence(shard.fence);
        fences.push(fresh);
        const found = await reconcile(pool, shard, fences.slice(0, -1), fresh, leaseSeconds, unclaimed);
        if (found === null) return LOST;
        shard.fence = fresh;
        this.heed(found.edits);
        if (found.carriedOut) left = [];
        // They are pending by now, and others may settle them.
        unclaimed = [];
        return await this.commit(shard, left, []);
      } catch {
        // A database that comes back late still has our fence until somebody takes the shard: ask for as long as this slice may last.
        if (this.forfeit || this.leaseNow() > this.hold.until + this.setup.seconds * 1000) throw cause;
      }
    }
  }

  /** Called off, and no lease left for a while: what the database has not answered by then cannot be recorded with certainty, and whoever waits for our end need not wait for that. */
  private async unlessForfeit(recovering: Promise<TurnResult>, cause: unknown): Promise<TurnResult> {
    let looking: NodeJS.Timeout | undefined;
    const forfeited = new Promise<never>((_, reject) => {
      looking = setInterval(() => {
        this.forfeit = this.stopped && this.leaseNow() > this.hold.until + LATE_MS;
        if (this.forfeit) reject(cause);
      }, LONGEST_REST_MS);
    });
    return Promise.race([recovering, forfeited]).finally(() => clearInterval(looking));
  }

  /** Where commits were lost nobody more is mailed, by anybody; what is on the wire is finished, and recorded if it can be. */
  private async missLost(look: () => Promise<void> | void | undefined): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof LostCommitsError)) throw error;
      this.failure = error;
      const { pool, mailingId, run } = this.setup;
      // The others may know of less. What cannot be written now is written at the next turn.
      await endLostRun(pool, mailingId, run).catch(() => {});
    }
  }

  private launch(shard: Shard, position: number, mail: Mail): void {
    const { hold } = this;
    hold.wire.add(position);
    const mayWrite = () => {
      const now = this.leaseNow();
      return now < hold.until && now < this.calledOffAt + LAST_WRITE_MS;
    };
    this.setup.relay.send(mail, mayWrite).then((outcome) => {
      if (!hold.wire.delete(position)) return;
      this.record(shard, position, outcome);
      this.wake();
    });
  }

  /** Marked `sending` by the very turn that learned that nothing more is to be begun: pending again, as if nothing had happened. */
  private putBack(claimed: number[]): void {
    for (const position of claimed) {
      this.outcomes.push({ position, state: LEDGER_STATE.pending, detail: null });
    }
    this.bucket?.take(-claimed.length);
  }

  private record(shard: Shard, position: number, outcome: Outcome): void {
    const { state, detail } = settle(outcome, shard.pass, this.setup.tries);
    this.outcomes.push({ position, state, detail });
    if (state === LEDGER_STATE.accepted) this.counts.accepted++;
    else if (state === LEDGER_STATE.failed) this.counts.failed++;
    else if (state === LEDGER_STATE.uncertain) this.counts.uncertain++;
    this.answered ||= outcome.kind === 'accepted' || outcome.kind === 'deferred' || (outcome.kind === 'failed' && !outcome.unasked);
    const { refusals, refusedInARow: most } = this.setup;
    if (outcome.kind === 'accepted') refusals.inARow = 0;
    else if (outcome.kind === 'failed' && !outcome.unasked && ++refusals.inARow >= most) {
      this.ending ??= {
        next: 'refused',
        reason: clip(`it refused ${refusals.inARow} mails in a row, the last one with: ${outcome.reply}`),
      };
    }
    if (outcome.kind !== 'unsent') return;
    const reason = clip(outcome.reply);
    if (outcome.relay === 'refused-credentials') this.ending ??= { next: 'refused', reason: `it refused us: ${reason}` };
    else if (outcome.relay !== 'given-up') this.ending ??= { next: 'relay-down', reason };
  }

  /**
   * Waits a moment for the mails that are still on the wire, unless half of what may be marked has come back: a commit costs the same for one outcome as for thirty, and
   * the other half, ours or another slice's, keeps the relay busy meanwhile. Where this process is what everything waits for, a quarter does, and there are fewer commits.
   */
  private async gather(): Promise<void> {
    const { relay } = this.setup;
    const enough = (relay.isPressed ? 1.5 : 1) * relay.connections;
    const isEnough = () => this.outcomes.length === 0 || this.hold.wire.size === 0 || this.outcomes.length >= enough || this.stopped;
    if (!isEnough()) await this.sleep(GATHER_MS, isEnough);
  }

  /** Sleeps until an outcome arrives, the next mail is due, or a moment has passed. */
  private async rest(parked: Parked | null): Promise<void> {
    const { clock } = this.setup;
    const due = this.bucket && this.bucket.have(0) < 1 ? this.bucket.waitMs : LONGEST_REST_MS;
    if (clock && this.hold.wire.size === 0) return this.bucket?.drawing ?? clock.sleep(due);
    if (this.outcomes.length) return;
    await this.sleep(Math.min(due, this.relayWaitMs, parked?.waitMs ?? LONGEST_REST_MS, this.crowded ? CROWDED_REST_MS : LONGEST_REST_MS));
  }

  /** @param isOver asked whenever something has happened that it may be woken for */
  private async sleep(ms: number, isOver = () => true): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        if (!isOver()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => {};
  }
}
