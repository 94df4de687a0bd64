// Long: one connection; what the relay answers depends on every step before.

import type { Outcome } from '../contracts.ts';
import {
  type Delivery,
  finalOutcome,
  isOfConnection,
  type Job,
  mailCommand,
  type Pool,
  type Refusal,
  rcptCommand,
  refusalOutcome,
  takeAcceptable,
} from './delivery.ts';
import type { Offers } from './handshake.ts';
import { shownReply } from './replies.ts';
import type { Wire, WireListener } from './wire.ts';

type Step = 'idle' | 'rset' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot' | 'quit' | 'over';

/**
 * Delivers by DATA. Where the relay takes several commands at once (RFC 2920), a mail costs one write and one read: the envelope of the next goes out
 * behind the content of the one before.
 */
export class DataDelivery implements Delivery, WireListener {
  readonly #wire: Wire;
  readonly #offers: Offers;
  readonly #pool: Pool;
  #step: Step = 'idle';
  #job: Job | null = null;
  /** Its envelope has been sent behind the content of the present mail. */
  #next: Job | null = null;
  /** So was that of the present mail. */
  #isBehind = false;
  #refusal: Refusal | null = null;
  /** The relay has taken the recipient of the present mail. */
  #hasRecipient = false;
  /** The relay has a transaction open that will not be finished. */
  #mustReset = false;
  /** Each waits for the relay to ask for its content: beyond this the wait is longer, and the writes are no fewer. */
  readonly deepest = 8;
  /** The relay has taken a mail on this connection. */
  #carried = false;
  served = 0;
  since: number;

  constructor(wire: Wire, offers: Offers, pool: Pool) {
    this.#wire = wire;
    this.#offers = offers;
    this.#pool = pool;
    this.since = pool.now;
    wire.listener = this;
  }

  get isIdle(): boolean {
    return this.#step === 'idle';
  }

  get isQuitting(): boolean {
    return this.#step === 'quit';
  }

  start(): void {
    this.#goOnWith(this.#takeAcceptable());
  }

  quit(): void {
    this.#ask('quit', 'QUIT\r\n');
  }

  drop(reason: string): void {
    this.#wire.drop(reason);
  }

  lost(reason: string): void {
    this.#end('down', reason);
  }

  reply(code: number, text: string): void {
    this.since = this.#pool.now;
    const step = this.#step;
    // "Go on" where nothing is to follow: this is not the conversation it seems to be.
    if (code >= 300 && code < 400 && step !== 'data') this.#wire.drop(`the relay answered ${step} with ${shownReply(text)}`);
    else if (step === 'body' && code !== 421) {
      this.#carried ||= code < 300;
      this.#settle(finalOutcome(code, text, this.#pool));
    } else if (step === 'quit') this.#wire.drop('done');
    else if (code === 421) {
      this.#end('busy', shownReply(text));
      this.#wire.drop('the relay asked for it');
    } else if (step === 'rset') this.#afterReset(code, text);
    else if (step === 'mail' || step === 'rcpt') {
      if (code >= 300) this.#refusal ??= { step, code, text };
      else if (step === 'rcpt') this.#hasRecipient = true;
      this.#afterCommand(step);
    } else if (step === 'data') this.#afterData(code, text);
    else if (step === 'dot') {
      this.#mustReset = false;
      this.#refused(this.#refusal!);
    } else this.#wire.drop(`the relay spoke unasked: ${shownReply(text)}`);
  }

  #afterReset(code: number, text: string): void {
    this.#mustReset = false;
    if (code >= 300) this.#wire.drop(shownReply(text));
    else if (this.#offers.pipelining) this.#step = 'mail';
    else this.#ask('mail', this.#envelope(this.#job!));
  }

  #afterCommand(step: 'mail' | 'rcpt'): void {
    // From a sender to its content the relay has a transaction open; some also that of a sender they refused: its recipient would get the next mail too.
    if (step === 'mail') this.#mustReset = true;
    if (this.#offers.pipelining) this.#step = step === 'mail' ? 'rcpt' : 'data';
    else if (this.#refusal) this.#refused(this.#refusal);
    else if (step === 'mail') this.#ask('rcpt', rcptCommand(this.#job!.mail));
    else this.#ask('data', 'DATA\r\n');
  }

  #afterData(code: number, text: string): void {
    if (code >= 400) {
      this.#refusal ??= { step: 'data', code, text };
      this.#refused(this.#refusal);
    } else if (code !== 354) this.#wire.drop(`the relay answered DATA with ${shownReply(text)}`);
    // It waits for content though it refused the sender, and took the recipient: an empty message might be delivered to them. Only the end of the connection takes
    // DATA back.
    else if (this.#refusal && this.#hasRecipient) this.#wire.drop('the relay goes on with a mail it refused');
    // It waits for content though it refused the recipient: it gets none (RFC 2920, 3.1).
    else if (this.#refusal) this.#ask('dot', '.\r\n');
    else this.#sendContent(this.#job!);
  }

  #refused(refusal: Refusal): void {
    if (this.#isBehind && refusal.step === 'mail' && refusal.code >= 500 && refusal.code <= 503) this.#beginAgain(this.#job!);
    else if (isOfConnection(refusal, this.#carried)) this.#wire.drop(shownReply(refusal.text));
    else this.#settle(refusalOutcome(refusal, this.#pool));
  }

  /** It is not the sender that is refused: the relay (Haraka) takes no commands behind a content, lest they were smuggled into it. */
  #beginAgain(job: Job): void {
    this.#pool.behindContent = false;
    this.#refusal = null;
    this.#hasRecipient = false;
    job.tries--;
    this.#begin(job);
  }

  #sendContent({ mail, mayWrite, settle }: Job): void {
    if (mayWrite && !mayWrite()) {
      this.#job = null;
      settle({ kind: 'unsent', relay: 'given-up', reply: 'given up before it was written' });
      // Only the end of the connection takes DATA back.
      this.#wire.drop('a mail was given up');
      return;
    }
    this.#mustReset = false;
    this.#next = this.#offers.pipelining && this.#pool.behindContent ? this.#takeAcceptable() : null;
    this.#ask('body', mail.message, this.#next ? `.\r\n${this.#envelope(this.#next)}` : '.\r\n');
  }

  #begin(job: Job): void {
    job.tries++;
    this.#job = job;
    this.#isBehind = false;
    const reset = this.#mustReset ? 'RSET\r\n' : '';
    this.#ask(reset ? 'rset' : 'mail', reset && !this.#offers.pipelining ? reset : reset + this.#envelope(job));
  }

  /** The commands before the content, or only the first one where the relay wants them one by one. */
  #envelope({ mail }: Job): string {
    const from = mailCommand(mail, this.#offers);
    return this.#offers.pipelining ? `${from}${rcptCommand(mail)}DATA\r\n` : from;
  }

  #ask(step: Step, ...pieces: string[]): void {
    this.#step = step;
    this.since = this.#pool.now;
    this.#wire.write(...pieces);
  }

  #settle(outcome: Outcome): void {
    const job = this.#job!;
    this.#job = null;
    this.#refusal = null;
    this.#hasRecipient = false;
    this.served++;
    job.settle(outcome);
    if (this.#wire.over) return;
    if (this.#next) {
      this.#job = this.#next;
      this.#job.tries++;
      this.#isBehind = true;
      this.#next = null;
      this.#step = 'mail';
      return;
    }
    this.#goOnWith(this.#takeAcceptable());
  }

  #goOnWith(job: Job | null): void {
    if (job) {
      this.#begin(job);
      return;
    }
    this.#step = 'idle';
    this.#pool.idle(this);
  }

  #takeAcceptable(): Job | null {
    return takeAcceptable(this.#pool, this.#offers);
  }

  #end(relay: 'down' | 'busy', reason: string): void {
    if (this.#step === 'over') return;
    const [step, job, next] = [this.#step, this.#job, this.#next];
    this.#step = 'over';
    this.#job = null;
    this.#next = null;
    const unsent = next ? [next] : [];
    const told = relay === 'busy' && !this.#refusal && (step === 'body' || (step === 'rcpt' && this.served === 0));
    const outcome = job && told ? this.#pool.afterGoodbye(job, reason) : null;
    // With 421 the relay says that it has not taken the content; after a mere loss nobody knows.
    if (job && outcome?.kind === 'deferred') job.settle(outcome);
    else if (job && step === 'body')
      job.settle(relay === 'down' ? { kind: 'uncertain', reply: reason } : { kind: 'unsent', relay, reply: reason });
    else if (job && this.#refusal && !isOfConnection(this.#refusal, this.#carried)) job.settle(refusalOutcome(this.#refusal, this.#pool));
    else if (job) unsent.unshift(job);
    this.#pool.ended(this, unsent, relay, reason);
  }
}
