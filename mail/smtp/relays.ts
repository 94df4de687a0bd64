import { type Allowance, Bucket } from '../bucket.ts';
import type { Mail, Outcome, Relay } from '../contracts.ts';
import { createRelay, type RelayOptions } from './relay.ts';
import type { RelayEntry } from './relay-url.ts';

export interface RelaysOptions extends Omit<RelayOptions, 'connections'> {
  /** Draws mails from the rate of the relay called `key`, which all workers share. */
  draw(key: string, rate: number, wanted: number): Promise<Allowance>;
  /** Told when a relay is taken out, and for how long. */
  onRest?: (relay: string, ms: number, reason: string) => void;
}

type Unsent = Extract<Outcome, { kind: 'unsent' }>;
type Failed = Extract<Outcome, { kind: 'failed' }>;

/** So many in a row, without a mail accepted in between, and the relay is taken out. */
const STREAKS = { uncertain: 3, deferred: 20, failed: 20 } as const;
const REST = { first: 1000, most: 60_000 };
/** Mails handed to a relay per connection before others get them. */
const ROOM = 2;
const FORFEIT_MS = 1000;

/**
 * Several relays as one. Each gets its share by weight; what it has no room for goes to the others. One that is down or only refuses is taken
 * out for a growing time, and then tried with one mail. A mail goes to another relay only when it is certain that the first does not have it.
 */
export function createRelays(entries: readonly RelayEntry[], { draw, onRest, ...options }: RelaysOptions): Relay {
  const [only] = entries;
  if (entries.length === 1 && only && only.rate === null) return createRelay(only.url, { ...options, connections: only.connections });
  return new Relays(
    entries.map((entry) => new Member(entry, createRelay(entry.url, { ...options, connections: entry.connections, tries: 1 }), draw)),
    onRest ?? (() => {}),
  );
}

class Member {
  readonly name: string;
  readonly weight: number;
  readonly connections: number;
  readonly relay: Relay;
  readonly bucket: Bucket | null;
  /** What it has in hand to be chosen next: grows by its weight whenever one is chosen, falls by all weights when it is the one. */
  credit = 0;
  inFlight = 0;
  /** Why and until when it is out; a time past means that one mail may try it. */
  out: { until: number; answer: Unsent; refuses: boolean } | null = null;
  #rests = 0;
  #streak: { kind: string; length: number } = { kind: '', length: 0 };

  constructor({ name, weight, connections, rate }: RelayEntry, relay: Relay, draw: RelaysOptions['draw']) {
    this.name = name;
    this.weight = weight;
    this.connections = connections;
    this.relay = relay;
    this.bucket = rate === null ? null : new Bucket((wanted) => draw(`relay ${name}`, rate, wanted), { lifetimeMs: FORFEIT_MS });
  }

  get rests(): boolean {
    return this.out !== null && performance.now() < this.out.until;
  }

  get isOut(): boolean {
    return this.out !== null && (this.rests || this.inFlight > 0);
  }

  get hasRoom(): boolean {
    return this.inFlight < this.connections * ROOM && (this.bucket === null || this.bucket.have(1) >= 1);
  }

  /**
   * Learns from an outcome.
   * @param alone there is no other that does more than refuse, or may again when it is back
   * @returns how long it is taken out, in milliseconds, when it is
   */
  judge(outcome: Outcome, alone: boolean): number | null {
    if (outcome.kind === 'accepted') {
      this.out = null;
      this.#rests = 0;
      this.#streak = { kind: '', length: 0 };
      return null;
    }
    if (outcome.kind === 'unsent') return this.#rest(outcome, false);
    // Kept from it before it came here.
    if (outcome.kind === 'withheld') return null;
    // A relay that greylists, or looks first whether an address is there, puts off each at first; and a list may have many bad addresses side by side.
    if (alone && outcome.kind !== 'uncertain') return null;
    const { kind, length } = this.#streak;
    this.#streak = { kind: outcome.kind, length: kind === outcome.kind ? length + 1 : 1 };
    // After a rest, one more of the same is enough.
    const most = this.out === null ? STREAKS[outcome.kind] : 1;
    return this.#streak.length < most
      ? null
      : this.#rest({ kind: 'unsent', relay: 'down', reply: outcome.reply }, outcome.kind !== 'uncertain');
  }

  #rest(answer: Unsent, refuses: boolean): number | null {
    // Those begun before it was taken out only say the same again.
    if (this.rests) return null;
    const ms = Math.min(REST.most, REST.first * 2 ** this.#rests++);
    this.out = { until: performance.now() + ms, answer, refuses };
    return ms;
  }
}

class Relays implements Relay {
  readonly #members: Member[];
  #closing = false;
  readonly #onRest: NonNullable<RelaysOptions['onRest']>;

  constructor(members: Member[], onRest: NonNullable<RelaysOptions['onRest']>) {
    this.#members = members;
    this.#onRest = onRest;
  }

  /** Of those that are in. */
  get connections(): number {
    return Math.max(
      1,
      this.#members.reduce((sum, member) => sum + (member.isOut ? 0 : member.connections), 0),
    );
  }

  get isPressed(): boolean {
    return this.#members.some(({ relay, isOut }) => relay.isPressed && !isOut);
  }

  admit(wanted: number): Allowance {
    const within = this.#members.filter((member) => !member.isOut);
    let granted = 0;
    let waitMs = Number.POSITIVE_INFINITY;
    for (const { bucket } of within) {
      if (bucket === null) return { granted: wanted, waitMs: 0 };
      granted += bucket.have(wanted);
      waitMs = Math.min(waitMs, bucket.waitMs);
    }
    // With all of them out, one mail finds out how things are.
    return within.length === 0 ? { granted: Math.min(1, wanted), waitMs: 0 } : { granted: Math.min(granted, wanted), waitMs };
  }

  async send(mail: Mail, mayWrite?: () => boolean, urgent = false): Promise<Outcome> {
    const tried = new Set<Member>();
    const unable = new Map<Member, Failed>();
    for (let last: Unsent | null = null; ; ) {
      const member = this.#choose(tried);
      if (!member && unable.size > 0) return this.#noneIsAble(unable);
      // Where one refuses us and another is merely away, there is something to wait for.
      if (!member) return last && last.relay !== 'refused-credentials' ? last : this.#allOut();
      tried.add(member);
      member.inFlight++;
      member.bucket?.take(1);
      // What still waits for a relay that was taken out meanwhile comes back to us.
      const outcome = await member.relay.send(mail, () => !member.rests && (mayWrite?.() ?? true), urgent);
      member.inFlight--;
      if (outcome.kind === 'unsent' && outcome.relay === 'given-up') {
        if (!member.rests || this.#closing || mayWrite?.() === false) return outcome;
        continue;
      }
      if (outcome.kind === 'failed' && outcome.unable) {
        // Nothing was said to it, and nothing by it.
        member.bucket?.take(-1);
        unable.set(member, outcome);
        continue;
      }
      const alone = this.#members.every((other) => other === member || other.out?.refuses);
      const rest = member.judge(outcome, alone);
      if (rest !== null) this.#onRest(member.name, rest, outcome.reply);
      if (outcome.kind !== 'unsent') return outcome;
      last = outcome;
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#members.map(({ relay }) => relay.close()));
  }

  /** By weight among those with room; where none has any, the one with the least to do. */
  #choose(tried: Set<Member>): Member | null {
    const within = this.#members.filter((member) => !member.isOut && !tried.has(member));
    if (within.length === 0) return null;
    const roomy = within.filter((member) => member.hasRoom);
    if (roomy.length === 0) return within.reduce((a, b) => (b.inFlight / b.connections < a.inFlight / a.connections ? b : a));
    const all = roomy.reduce((sum, { weight }) => sum + weight, 0);
    for (const member of roomy) member.credit += member.weight;
    const chosen = roomy.reduce((a, b) => (b.credit > a.credit ? b : a));
    chosen.credit -= all;
    return chosen;
  }

  /** Who can have the mail may be away just now: then it waits by itself, and nobody else does. */
  #noneIsAble(unable: Map<Member, Failed>): Outcome {
    const [outcome] = unable.values();
    return unable.size === this.#members.length ? outcome! : { kind: 'deferred', reply: outcome!.reply };
  }

  /** Refused credentials are for an operator to mend, but only when no relay is left that may come back by itself. */
  #allOut(): Unsent {
    const answers = this.#members.map(({ out }) => out?.answer).filter((answer) => answer !== undefined);
    return (
      answers.find(({ relay }) => relay !== 'refused-credentials') ??
      answers[0] ?? { kind: 'unsent', relay: 'down', reply: 'no relay is ready' }
    );
  }
}
