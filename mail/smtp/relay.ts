// Long: one pool; what becomes of a connection is seen by the line, by the other connections and by the pauses of the relay.

import type { Mail, Outcome, Relay } from '../contracts.ts';
import { ChunkDelivery } from './chunk-delivery.ts';
import { DataDelivery } from './data-delivery.ts';
import type { Delivery, Job, Pool } from './delivery.ts';
import { createDepth } from './depth.ts';
import { Goodbyes } from './goodbyes.ts';
import { type HandshakeError, shakeHands } from './handshake.ts';
import { type RelayAddress, readRelayUrl } from './relay-url.ts';
import { Conversation, Wire } from './wire.ts';

export interface RelayOptions {
  /** Most connections at a time. */
  connections: number;
  /** Longest the relay may take over one step. */
  timeoutMs: number;
  /** What this host calls itself in EHLO. */
  name: string;
  /** How long a connection is kept that has nothing to do. */
  idleMs?: number;
  /** After a failure, how long everything is answered `unsent` at once before the relay is tried again. */
  restMs?: number;
  /** How long mails wait for a relay that could not be reached the last time; then they are `unsent`, while it is still being tried. */
  againMs?: number;
  /** While the relay wants fewer connections than it is given, how long it is left at that. */
  easeMs?: number;
  /** How many connections a mail is tried on that are lost before its content is asked for. */
  tries?: number;
  /** Mails go by BDAT where the relay offers it, several at a time; otherwise by DATA. */
  chunking?: boolean;
  /** How many mails a connection is given at a time (depth.ts). */
  depth?: () => number;
}

type Unsent = Extract<Outcome, { kind: 'unsent' }>;

/** How long a connection may take to come about: shorter than a step, because everything else waits for it. */
const CONNECT_MS = 15_000;
const QUIT_MS = 2_000;
/**
 * Of so many mails that are put off in a row because of the relay itself, it can take none just now (its disk is full, say), and those behind have not had a try. Where it
 * was so before, fewer are enough, one more for each so many that were taken since: by a rate it is so again and again, and whoever finds that out has used up a try.
 */
const PUT_OFF = { most: 20, least: 2, taken: 20 };
const MUTE = 'the relay takes the connection and says nothing (at a port that begins with TLS, as 465, it wants smtps:// in its address)';

/** `tries` where the connection had carried other mails: then it is less likely that this mail is the reason. */
const TRIES_AFTER_OTHERS = 10;

/**
 * A relay for much mail: connections are opened when mails wait, up to the limit, and go on from mail to mail.
 * @param url see readRelayUrl
 * @throws Error when the URL is of no use
 */
export function createRelay(url: string, options: RelayOptions): Relay {
  return new SmtpRelay(readRelayUrl(url), options);
}

class SmtpRelay implements Relay, Pool {
  readonly connections: number;
  now = performance.now();
  readonly #address: RelayAddress;
  readonly #options: Required<RelayOptions>;
  readonly #line: (Job | undefined)[] = [];
  #head = 0;
  /** The one used last is used first, so that those not needed get old. */
  readonly #idle: Delivery[] = [];
  readonly #deliveries = new Set<Delivery>();
  /** Connections on their way to becoming deliveries, and when they began. */
  readonly #opening = new Map<Wire, number>();
  /** The last connection came about: more may be opened side by side. Otherwise one has to show first that it can be done. */
  #proven = false;
  /** Why mails are turned away just now, and until when. */
  #closed: { answer: Unsent; until: number } | null = null;
  /** Why the last connection did not come about; null where it did, and before the first. */
  #failed: Unsent | null = null;
  /** The relay wants no more connections than this. */
  #ease: { most: number; until: number } | null = null;
  #ticking: NodeJS.Timeout | null = null;
  #ended: PromiseWithResolvers<void> | null = null;
  chunks: boolean;
  /** Put off because of the relay itself, none taken in between. */
  #byItself = 0;
  #mostPutOff = PUT_OFF.most;
  behindContent = true;
  /** Somebody in line was taken since the clock last ticked. */
  #moving = false;
  /** Of the deliveries there are. */
  #deepest = 1;
  /** Mails in line are about to be dealt out. */
  #dealing = false;
  readonly #goodbyes = new Goodbyes();
  /** Mails that got an answer on connections that are gone. */
  #served = 0;

  constructor(address: RelayAddress, options: RelayOptions) {
    this.#address = address;
    this.#options = {
      idleMs: 10_000,
      restMs: 1000,
      againMs: 3000,
      easeMs: 10_000,
      tries: 3,
      chunking: true,
      depth: createDepth(),
      ...options,
    };
    this.chunks = this.#options.chunking;
    this.connections = options.connections;
  }

  send(mail: Mail, mayWrite?: () => boolean, urgent = false): Promise<Outcome> {
    if (!isPlain(mail.envelopeFrom) || !isPlain(mail.envelopeTo)) {
      return Promise.resolve({ kind: 'failed', reply: '501 the address cannot be used in SMTP', unasked: true });
    }
    if (this.#ended) return Promise.resolve({ kind: 'unsent', relay: 'given-up', reply: 'closing' });
    const turnedAway = this.#turnsAway();
    if (turnedAway) return Promise.resolve(turnedAway);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome) => {
        if (outcome.kind === 'accepted') this.#taken();
        resolve(outcome);
      };
      this.#give({ mail, mayWrite, tries: 0, settle }, urgent);
    });
  }

  /** Finishes what is on the wire, gives up what is in line, and ends all connections. */
  close(): Promise<void> {
    if (this.#ended) return this.#ended.promise;
    this.#ended = Promise.withResolvers();
    this.#settleLine({ kind: 'unsent', relay: 'given-up', reply: 'closing' });
    for (const wire of this.#opening.keys()) wire.drop('closing');
    for (const delivery of this.#idle.splice(0)) delivery.quit();
    this.#afterEnd();
    return this.#ended.promise;
  }

  get isPressed(): boolean {
    return this.#options.depth() > 1;
  }

  // As the pool of its deliveries.

  get depth(): number {
    return Math.min(this.#options.depth(), this.#deepest);
  }

  take(): Job | undefined {
    const job = this.#line[this.#head];
    if (!job) return undefined;
    this.#moving = true;
    this.#line[this.#head++] = undefined;
    if (this.#head === this.#line.length || this.#head > 10_000) {
      this.#line.splice(0, this.#head);
      this.#head = 0;
    }
    return job;
  }

  idle(delivery: Delivery): void {
    if (this.#ended || (!this.chunks && delivery instanceof ChunkDelivery)) delivery.quit();
    else this.#idle.push(delivery);
  }

  afterGoodbye({ mail }: Job, reply: string): Outcome {
    let answered = this.#served;
    for (const { served } of this.#deliveries) answered += served;
    return this.#goodbyes.said(`${mail.envelopeFrom} ${mail.envelopeTo}`, answered)
      ? { kind: 'deferred', reply }
      : { kind: 'unsent', relay: 'busy', reply };
  }

  putOffByItself(reply: string, certainly = false): Outcome {
    if (++this.#byItself <= (certainly ? PUT_OFF.least : this.#mostPutOff)) return { kind: 'deferred', reply };
    this.#mostPutOff = PUT_OFF.least;
    return { kind: 'unsent', relay: 'busy', reply };
  }

  #taken(): void {
    this.#byItself = 0;
    if (this.#mostPutOff < PUT_OFF.most) this.#mostPutOff += 1 / PUT_OFF.taken;
  }

  withoutChunks(): void {
    this.chunks = false;
    for (const delivery of this.#idle.filter((each) => each instanceof ChunkDelivery)) this.#retire(delivery);
  }

  ended(delivery: Delivery, unsent: Job[], relay: 'down' | 'busy', reason: string): void {
    this.#deliveries.delete(delivery);
    this.#served += delivery.served;
    const at = this.#idle.indexOf(delivery);
    if (at >= 0) this.#idle.splice(at, 1);
    // A relay may end a connection after so many mails or so much time: that is no failure, another connection does it.
    const open = !this.#ended && !this.#turnsAway();
    const most = delivery.served > 0 ? TRIES_AFTER_OTHERS : relay === 'down' ? this.#options.tries : 1;
    if (relay === 'busy' && delivery.served === 0) this.#easeOff();
    for (const job of unsent) {
      if (open && job.tries < most) this.#give(job);
      else job.settle({ kind: 'unsent', relay, reply: reason });
    }
    this.#deal();
    this.#afterEnd();
  }

  get #waiting(): number {
    return this.#line.length - this.#head;
  }

  #give(job: Job, urgent = false): void {
    if (urgent) this.#line.splice(this.#head, 0, job);
    else this.#line.push(job);
    if (this.#dealing) return;
    // Those given in one go are dealt out in one go: a connection may take several.
    this.#dealing = true;
    queueMicrotask(() => this.#deal());
  }

  /** Mails in line beyond those that connections at work will take: a mail behind another of its connection costs fewer writes and reads. */
  #leftOver(depth: number): number {
    let left = this.#waiting;
    for (const { isIdle, isQuitting } of this.#deliveries) if (!isIdle && !isQuitting) left -= depth - 1;
    return left;
  }

  #deal(depth = this.depth): void {
    this.#dealing = false;
    for (let left = this.#leftOver(depth); left > 0; left -= depth) {
      const delivery = this.#idle.pop();
      if (!delivery) break;
      delivery.start();
    }
    this.#openAsNeeded(depth);
  }

  #openAsNeeded(depth = this.depth): void {
    if (this.#closed || this.#ended) return;
    const most = Math.min(this.connections, this.#ease?.most ?? this.connections);
    const sideBySide = this.#proven ? most : 1;
    const left = this.#leftOver(depth);
    while (left > depth * this.#opening.size && this.#opening.size < sideBySide && this.#opening.size + this.#deliveries.size < most) {
      void this.#open();
    }
  }

  async #open(): Promise<void> {
    this.now = performance.now();
    const conversation = new Conversation();
    const wire = new Wire(this.#address, conversation);
    this.#opening.set(wire, this.now);
    this.#startClock();
    try {
      const offers = await shakeHands(wire, conversation, this.#address, this.#options.name);
      this.#opening.delete(wire);
      this.#proven = true;
      this.#failed = null;
      const delivery = new (offers.chunking && this.chunks ? ChunkDelivery : DataDelivery)(wire, offers, this);
      this.#deliveries.add(delivery);
      this.#deepest = delivery.deepest;
      delivery.start();
      this.#openAsNeeded();
    } catch (error) {
      this.#opening.delete(wire);
      wire.drop('not needed');
      this.#couldNotOpen(error as HandshakeError);
    }
    this.#afterEnd();
  }

  /** With other connections alive it only means that there are enough; otherwise nothing can be sent for now, and nobody waits for it. */
  #couldNotOpen({ relay, message }: HandshakeError): void {
    if (relay !== 'refused-credentials' && this.#deliveries.size > 0) {
      this.#easeOff();
      return;
    }
    this.#proven = false;
    if (relay !== 'refused-credentials' && this.#opening.size > 0) return;
    const answer: Unsent = { kind: 'unsent', relay, reply: message };
    this.#closed = { answer, until: performance.now() + this.#options.restMs };
    this.#failed = answer;
    this.#settleLine(answer);
  }

  #turnsAway(): Unsent | null {
    if (!this.#closed) return this.#failed && this.#isSilentAgain(performance.now()) ? this.#failed : null;
    if (performance.now() < this.#closed.until) return this.#closed.answer;
    this.#closed = null;
    return null;
  }

  /** It is being tried once more, and still does not answer: whoever waited for it each time would do nothing else, and hold what others have need of. */
  #isSilentAgain(now: number): boolean {
    const [began] = this.#opening.values();
    return began !== undefined && this.#deliveries.size === 0 && now - began > this.#options.againMs;
  }

  #easeOff(): void {
    this.#ease = { most: Math.max(1, this.#deliveries.size), until: this.now + this.#options.easeMs };
  }

  #settleLine(outcome: Outcome): void {
    for (let job = this.take(); job; job = this.take()) job.settle(outcome);
  }

  /** One clock for all connections and all their time limits. */
  #startClock(): void {
    const { timeoutMs, idleMs } = this.#options;
    this.#ticking ??= setInterval(() => this.#tick(), Math.min(500, timeoutMs / 4, idleMs / 4)).unref();
  }

  #tick(): void {
    this.now = performance.now();
    const { timeoutMs, idleMs } = this.#options;
    for (const [wire, began] of this.#opening)
      if (this.now - began > Math.min(CONNECT_MS, timeoutMs)) wire.drop(wire.isMute ? MUTE : 'the relay does not answer');
    if (this.#failed && this.#isSilentAgain(this.now)) this.#settleLine(this.#failed);
    // Nobody waits long behind others while there may be a connection with nothing to do.
    if (!this.#moving) this.#deal(1);
    this.#moving = false;
    for (const delivery of this.#deliveries) {
      const waited = this.now - delivery.since;
      if (delivery.isIdle) {
        if (waited > idleMs) this.#retire(delivery);
      } else if (waited > (delivery.isQuitting ? QUIT_MS : timeoutMs)) delivery.drop('the relay does not answer');
    }
    if (this.#ease && this.now > this.#ease.until) {
      this.#ease = null;
      this.#openAsNeeded();
    }
  }

  #retire(delivery: Delivery): void {
    this.#idle.splice(this.#idle.indexOf(delivery), 1);
    delivery.quit();
  }

  #afterEnd(): void {
    if (this.#deliveries.size > 0 || this.#opening.size > 0) return;
    if (this.#ticking) clearInterval(this.#ticking);
    this.#ticking = null;
    this.#ended?.resolve();
  }
}

/** Nothing that could end an address or a command. */
const isPlain = (address: string): boolean => /^[!-;=?-~]+$/.test(address) || /^[^\p{C}\p{Z}<>]+$/u.test(address);
