// Long: one connection; what the relay answers depends on every step before.

import { asBytes } from '../address.ts';
import type { Mail, Outcome } from '../contracts.ts';
import type { Offers } from './handshake.ts';
import { shownReply } from './replies.ts';
import type { Wire, WireListener } from './wire.ts';

/** A mail on its way, and who waits for its outcome. */
export interface Job {
  mail: Mail;
  mayWrite: (() => boolean) | undefined;
  /** How many connections it has been given to. */
  tries: number;
  settle(outcome: Outcome): void;
}

/** What a delivery needs of the pool it belongs to. */
export interface Pool {
  /** Milliseconds, to about a second: looking at the real clock for each step would cost more than it tells. */
  readonly now: number;
  /** The next mail in line, if any. */
  take(): Job | undefined;
  /** Nothing to do: may be given a mail any time. */
  idle(delivery: Delivery): void;
  /** The connection is gone. `unsent` are mails that the relay certainly does not have. */
  ended(delivery: Delivery, unsent: Job[], relay: 'down' | 'busy', reason: string): void;
}

type Step = 'idle' | 'rset' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot' | 'quit' | 'over';
type Refusal = { step: 'mail' | 'rcpt' | 'data'; code: number; text: string };

const BEYOND_ASCII = /[^ -~]/;

/**
 * One connection that is ready, delivering one mail after another. Where the relay takes several commands at once (RFC 2920), a mail costs one
 * write and one read: the envelope of the next goes out behind the content of the one before.
 */
export class Delivery implements WireListener {
  readonly #wire: Wire;
  readonly #offers: Offers;
  readonly #pool: Pool;
  #step: Step = 'idle';
  #job: Job | null = null;
  /** Its envelope has been sent behind the content of the present mail. */
  #next: Job | null = null;
  #refusal: Refusal | null = null;
  /** The relay has taken the recipient of the present mail. */
  #hasRecipient = false;
  /** The relay has a transaction open that will not be finished. */
  #mustReset = false;
  /** Mails that got an answer on this connection. */
  served = 0;
  /** When something was last written or read, by the pool's clock. */
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

  /** Takes a mail up. Only when idle. */
  start(job: Job): void {
    this.#goOnWith(this.#acceptable(job) ? job : this.#takeAcceptable());
  }

  /** Ends the connection politely. Only when idle. */
  quit(): void {
    this.#ask('quit', 'QUIT\r\n');
  }

  /** Ends the connection at once. */
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
    else if (step === 'body' && code !== 421) this.#settle(finalOutcome(code, text));
    else if (step === 'quit') this.#wire.drop('done');
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
      this.#settle(refusalOutcome(this.#refusal!));
    } else this.#wire.drop(`the relay spoke unasked: ${shownReply(text)}`);
  }

  #afterReset(code: number, text: string): void {
    this.#mustReset = false;
    if (code >= 300) this.#wire.drop(shownReply(text));
    else if (this.#offers.pipelining) this.#step = 'mail';
    else this.#ask('mail', this.#envelope(this.#job!));
  }

  #afterCommand(step: 'mail' | 'rcpt'): void {
    // From an accepted sender to its content, the relay has a transaction open.
    if (step === 'mail') this.#mustReset = this.#refusal === null;
    if (this.#offers.pipelining) this.#step = step === 'mail' ? 'rcpt' : 'data';
    else if (this.#refusal) this.#settle(refusalOutcome(this.#refusal));
    else if (step === 'mail') this.#ask('rcpt', `RCPT TO:<${asBytes(this.#job!.mail.envelopeTo)}>\r\n`);
    else this.#ask('data', 'DATA\r\n');
  }

  #afterData(code: number, text: string): void {
    if (code >= 400) {
      this.#refusal ??= { step: 'data', code, text };
      this.#settle(refusalOutcome(this.#refusal));
    } else if (code !== 354) this.#wire.drop(`the relay answered DATA with ${shownReply(text)}`);
    // It waits for content though it refused the sender, and took the recipient: an empty message might be delivered to them. Only the end of the connection takes
    // DATA back.
    else if (this.#refusal && this.#hasRecipient) this.#wire.drop('the relay goes on with a mail it refused');
    // It waits for content though it refused the recipient: it gets none (RFC 2920, 3.1).
    else if (this.#refusal) this.#ask('dot', '.\r\n');
    else this.#sendContent(this.#job!);
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
    this.#next = this.#offers.pipelining ? this.#takeAcceptable() : null;
    this.#ask('body', this.#next ? `${mail.message}.\r\n${this.#envelope(this.#next)}` : `${mail.message}.\r\n`);
  }

  #begin(job: Job): void {
    job.tries++;
    this.#job = job;
    const reset = this.#mustReset ? 'RSET\r\n' : '';
    this.#ask(reset ? 'rset' : 'mail', reset && !this.#offers.pipelining ? reset : reset + this.#envelope(job));
  }

  /** The commands before the content, or only the first one where the relay wants them one by one. */
  #envelope({ mail }: Job): string {
    const size = this.#offers.size ? ` SIZE=${mail.message.length}` : '';
    const utf8 = BEYOND_ASCII.test(mail.envelopeTo) ? ' BODY=8BITMIME SMTPUTF8' : '';
    const from = `MAIL FROM:<${mail.envelopeFrom}>${size}${utf8}\r\n`;
    return this.#offers.pipelining ? `${from}RCPT TO:<${asBytes(mail.envelopeTo)}>\r\nDATA\r\n` : from;
  }

  #ask(step: Step, text: string): void {
    this.#step = step;
    this.since = this.#pool.now;
    this.#wire.write(text);
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
    for (let job = this.#pool.take(); job; job = this.#pool.take()) if (this.#acceptable(job)) return job;
    return null;
  }

  /** Whether the mail may still be begun, and this relay can take it at all; otherwise it is settled. */
  #acceptable(job: Job): boolean {
    if (job.mayWrite?.() === false) {
      job.settle({ kind: 'unsent', relay: 'given-up', reply: 'given up before it was begun' });
      return false;
    }
    const { envelopeTo, message } = job.mail;
    const { size, smtputf8 } = this.#offers;
    if (size > 0 && message.length > size) {
      job.settle({ kind: 'failed', reply: `552 the mail has ${message.length} bytes, the relay takes ${size}` });
      return false;
    }
    if (!smtputf8 && BEYOND_ASCII.test(envelopeTo)) {
      job.settle({ kind: 'failed', reply: '553 the relay takes no address beyond ASCII', unasked: true });
      return false;
    }
    return true;
  }

  #end(relay: 'down' | 'busy', reason: string): void {
    if (this.#step === 'over') return;
    const [step, job, next] = [this.#step, this.#job, this.#next];
    this.#step = 'over';
    this.#job = null;
    this.#next = null;
    const unsent = next ? [next] : [];
    // With 421 the relay says that it has not taken the content; after a mere loss nobody knows.
    if (job && step === 'body')
      job.settle(relay === 'down' ? { kind: 'uncertain', reply: reason } : { kind: 'unsent', relay, reply: reason });
    else if (job && this.#refusal) job.settle(refusalOutcome(this.#refusal));
    else if (job) unsent.unshift(job);
    this.#pool.ended(this, unsent, relay, reason);
  }
}

function finalOutcome(code: number, text: string): Outcome {
  const reply = shownReply(text);
  return code < 300 ? { kind: 'accepted', reply } : { kind: code < 500 ? 'deferred' : 'failed', reply };
}

/**
 * A sender refused for good is refused in every mail: its address differs only in numbers. That is for an operator to mend, and
 * must not be held against recipients.
 */
function refusalOutcome({ step, code, text }: Refusal): Outcome {
  const reply = shownReply(text);
  if (code < 500) return { kind: 'deferred', reply };
  if (step === 'mail' && code !== 552) return { kind: 'unsent', relay: 'refused-credentials', reply };
  return { kind: 'failed', reply };
}
