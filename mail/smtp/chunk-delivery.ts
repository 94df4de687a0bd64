// Long: one connection; what an answer means depends on every command before it.

import type { Mail, Outcome } from '../contracts.ts';
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

/** A mail whose commands have been written, and which answer comes next. */
interface Written {
  job: Job;
  awaits: 'rset' | 'mail' | 'rcpt' | 'content';
  refusal: Refusal | null;
  mayHaveRecipient: boolean;
  /** What the relay said of its recipient. */
  toRecipient: string;
  /** Its content has been written too: from then on only the relay knows whether it has it. */
  whole: boolean;
}

/** Mails on one connection at a time, at least, once the relay has shown that it takes chunks: the next one is there when it has done with one. */
const TOGETHER = 2;
/** No further mail is put behind so many bytes in one write. */
const LARGEST_WRITE = 64 * 1024;

/** A relay that answers so does not know the command. */
const UNKNOWN_COMMAND = new Set([500, 502]);
/** No service any more (RFC 5321, 4.2.2). */
const NO_SERVICE = 554;
/** Not of the mail, but of BDAT itself. */
const NO_CHUNKS = new Set([500, 501, 502, 503, 504, 521]);

/**
 * Delivers by BDAT (RFC 3030): content without a question before it, so that several whole mails go out in one write. They do so only behind an answer
 * that has just come: a connection that was idle may be closed by now, so there the envelope goes alone, and the content follows its answer. Whole mails
 * have RSET before them: after a refused recipient some relays keep the transaction open (Exim), and would take the next mail with the sender of the
 * one before.
 */
export class ChunkDelivery implements Delivery, WireListener {
  readonly #wire: Wire;
  readonly #offers: Offers;
  readonly #pool: Pool;
  /** In their order, which is the order of the answers. */
  readonly #written: Written[] = [];
  readonly #unsent: Job[] = [];
  /** The relay has a transaction open that will not be finished. */
  #mustReset = false;
  /** The relay has accepted a chunk on this connection. */
  #proven = false;
  /** The code of its answer to the first recipient, where that to the content behind it, which was alone, was of another kind. */
  #recipientCode: string | null = null;
  /** It has refused a chunk, and accepted none since: it may not have read it to its end, and take the rest for commands. */
  #doubtful = false;
  /** Why nothing more is written. The connection lasts until the mails on it are answered, for a relay that says 421 may go on (Exim does). */
  #leaving: { relay: 'down' | 'busy'; reason: string } | null = null;
  /** Said 421, or 554 to RSET, and nothing since. */
  #saidGoodbye = false;
  #state: 'open' | 'quitting' | 'over' = 'open';
  /** As many as a commit lets go, in one write. */
  readonly deepest = 32;
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
    return this.#written.length === 0 && this.#state === 'open';
  }

  get isQuitting(): boolean {
    return this.#state === 'quitting';
  }

  start(): void {
    this.#begin();
  }

  quit(): void {
    this.#state = 'quitting';
    this.#write(['QUIT\r\n']);
  }

  drop(reason: string): void {
    // It did not close the connection, so it may still be at work.
    this.#saidGoodbye = false;
    this.#wire.drop(reason);
  }

  reply(code: number, text: string): void {
    this.since = this.#pool.now;
    // Whatever it says behind a goodbye, it has gone on.
    this.#saidGoodbye = code === 421;
    const mail = this.#written[0];
    if (this.#state === 'quitting') this.#wire.drop('done');
    else if (!mail) this.#wire.drop(`the relay spoke unasked: ${shownReply(text)}`);
    // "Go on" where nothing is to follow: this is not the conversation it seems to be.
    else if (code >= 300 && code < 400) {
      // No refusal: it may have taken the recipient, and the content that is on its way.
      if (mail.awaits === 'rcpt') mail.mayHaveRecipient = true;
      this.#wire.drop(`the relay answered ${mail.awaits} with ${shownReply(text)}`);
    } else {
      if (this.#saidGoodbye) this.#leaving ??= { relay: 'busy', reason: shownReply(text) };
      if (mail.awaits === 'content') this.#afterContent(mail, code, text);
      else if (UNKNOWN_COMMAND.has(code) && (this.#doubtful || (this.#proven && mail.awaits === 'mail'))) this.#misread(text);
      else if (mail.awaits === 'rset') this.#afterReset(mail, code, text);
      else this.#afterCommand(mail, mail.awaits, code, text);
    }
  }

  heard(): void {
    if (this.#state !== 'open') return;
    if (this.#leaving) {
      // Nothing of those left is with the relay.
      if (!this.#written.some(({ whole }) => whole)) this.#wire.drop(this.#leaving.reason);
      return;
    }
    if (this.#written.every(({ whole }) => whole)) this.#write(this.#wholeMails([]));
    if (this.#written.length === 0) this.#begin();
  }

  lost(reason: string): void {
    this.#state = 'over';
    const why = this.#leaving ?? { relay: 'down', reason };
    for (const mail of this.#written.splice(0)) this.#settleLost(mail, why.reason);
    // Only the first of them has had its try: the relay did not come to those behind it.
    for (const job of this.#unsent.slice(1)) job.tries--;
    this.#pool.ended(this, this.#unsent, why.relay, why.reason);
  }

  /** It has taken content for commands (go-smtp before 0.26, and maddy, where they refused its recipient), and would do so again. */
  #misread(text: string): void {
    this.#pool.withoutChunks();
    this.#wire.drop(`the relay has lost its place: ${shownReply(text)}`);
  }

  #afterReset(mail: Written, code: number, text: string): void {
    mail.awaits = 'mail';
    // No mail gives cause for it: the relay has had enough of the connection, and closes it (Exim, behind ten recipients it refused). One with other words may go on.
    if (code === 421 || (code === NO_SERVICE && mail.whole)) {
      this.#saidGoodbye = true;
      this.#leaving ??= { relay: 'down', reason: shownReply(text) };
      mail.refusal = { step: 'mail', code, text };
    } else if (code >= 300) {
      if (this.#doubtful) this.#misread(text);
      else this.#wire.drop(shownReply(text));
    } else if (!mail.whole && !this.#offers.pipelining) this.#write([mailCommand(mail.job.mail, this.#offers)]);
  }

  #afterCommand(mail: Written, step: 'mail' | 'rcpt', code: number, text: string): void {
    if (code >= 300) mail.refusal ??= { step, code, text };
    else if (step === 'rcpt') {
      mail.mayHaveRecipient = true;
      mail.toRecipient = text;
    }
    if (step === 'mail') {
      mail.awaits = 'rcpt';
      if (mail.whole) return;
      // Also of a sender it refused: some take its recipient all the same, who would get the next mail too.
      this.#mustReset = true;
      if (this.#offers.pipelining) return;
      if (mail.refusal) this.#refused(mail, mail.refusal);
      else this.#write([rcptCommand(mail.job.mail)]);
    } else if (mail.whole) mail.awaits = 'content';
    else if (mail.refusal === null) this.#writeContent(mail);
    else this.#refused(mail, mail.refusal);
  }

  #refused(mail: Written, refusal: Refusal): void {
    if (isOfConnection(refusal, this.#proven)) {
      this.#leaving ??= { relay: 'down', reason: shownReply(refusal.text) };
      this.#answered(mail, null);
    } else if (refusal.code !== 421) this.#answered(mail, refusalOutcome(refusal, this.#pool));
    else if (refusal.step === 'mail' || this.served > 0) this.#answered(mail, null);
    else {
      const outcome = this.#pool.afterGoodbye(mail.job, shownReply(refusal.text));
      this.#answered(mail, outcome.kind === 'unsent' ? null : outcome);
    }
  }

  #afterContent(mail: Written, code: number, text: string): void {
    const { job, refusal } = mail;
    if (code < 300 && isOfAddress(text) && this.#isBehind(mail)) {
      this.#wire.drop(`the relay has lost its place: ${shownReply(text)}`);
      return;
    }
    this.#doubtful = code >= 300;
    this.#mustReset = this.#doubtful;
    if (refusal && code < 300) {
      // What it refused before, and says now that it has, it may have or not.
      this.#answered(mail, { kind: 'uncertain', reply: `${shownReply(refusal.text)}; then ${shownReply(text)}` });
    } else if (refusal) this.#refused(mail, refusal);
    else if (code === 421) this.#answered(mail, this.#pool.afterGoodbye(job, shownReply(text)));
    else if (NO_CHUNKS.has(code)) {
      this.#pool.withoutChunks();
      this.#leaving ??= { relay: 'down', reason: shownReply(text) };
      job.tries--;
      this.#answered(mail, null);
      // It has never shown that it reads a chunk to its end.
      if (!this.#proven) this.#wire.drop(this.#leaving.reason);
    } else {
      this.#answered(mail, finalOutcome(code, text, this.#pool));
      if (code < 300 && !this.#proven) this.#prove(mail, text);
    }
  }

  /** The first content that it takes; nothing else is on the connection, so each answer is to what it seems to be. */
  #prove({ toRecipient }: Written, text: string): void {
    this.#proven = true;
    if (isOfAddress(toRecipient) && !isOfAddress(text)) this.#recipientCode = enhancedCode(toRecipient);
  }

  /**
   * Asked of a content that is said to have a good address: whether the answers are behind what was written, since the relay gave one too many. That of one kind alone may
   * vary is nothing, for some relays pass on what those behind them say; but here the recipient, too, had another answer than recipients have.
   */
  #isBehind({ toRecipient }: Written): boolean {
    return this.#recipientCode !== null && enhancedCode(toRecipient) !== this.#recipientCode;
  }

  /** @param outcome null: the relay says that it does not have it, and it is to be tried elsewhere */
  #answered({ job }: Written, outcome: Outcome | null): void {
    this.#written.shift();
    if (outcome === null) {
      this.#unsent.push(job);
      return;
    }
    if (outcome.kind !== 'unsent') this.served++;
    job.settle(outcome);
  }

  /** The connection was lost with this mail on it. */
  #settleLost({ job, refusal, mayHaveRecipient, whole }: Written, reason: string): void {
    const ofMail = refusal && refusal.code !== 421 && !isOfConnection(refusal, this.#proven);
    if (ofMail && !(whole && mayHaveRecipient)) job.settle(refusalOutcome(refusal, this.#pool));
    // With 421 the relay says that it takes nothing more; after a mere loss nobody knows.
    else if (!whole || this.#saidGoodbye || (refusal && !mayHaveRecipient)) this.#unsent.push(job);
    else job.settle({ kind: 'uncertain', reply: reason });
  }

  /** Asks whether the relay takes the next mail; the connection has nothing on it. */
  #begin(): void {
    const job = this.#pool.chunks ? takeAcceptable(this.#pool, this.#offers) : null;
    if (!job) {
      this.#pool.idle(this);
      return;
    }
    job.tries++;
    const { pipelining } = this.#offers;
    const reset = this.#mustReset ? 'RSET\r\n' : '';
    this.#written.push({ job, awaits: reset ? 'rset' : 'mail', refusal: null, mayHaveRecipient: false, toRecipient: '', whole: false });
    const from = reset && !pipelining ? '' : mailCommand(job.mail, this.#offers);
    this.#write([reset + from + (pipelining ? rcptCommand(job.mail) : '')]);
  }

  /** The content of a mail whose recipient the relay has taken, and whole mails behind it. */
  #writeContent(mail: Written): void {
    const { mayWrite, settle } = mail.job;
    if (mayWrite && !mayWrite()) {
      this.#written.shift();
      settle({ kind: 'unsent', relay: 'given-up', reply: 'given up before it was written' });
      return;
    }
    mail.whole = true;
    mail.awaits = 'content';
    this.#mustReset = false;
    this.#write(this.#wholeMails(chunk(mail.job.mail)));
  }

  /** Puts as many whole mails behind what is to be written as may be on the connection beside those that are. */
  #wholeMails(pieces: string[]): string[] {
    if (!this.#proven || !this.#offers.pipelining || !this.#pool.chunks || this.#wire.backlog > 0) return pieces;
    let length = 0;
    for (const piece of pieces) length += piece.length;
    const together = Math.max(TOGETHER, this.#pool.depth);
    while (this.#written.length < together && length < LARGEST_WRITE) {
      const job = takeAcceptable(this.#pool, this.#offers);
      if (!job) break;
      job.tries++;
      this.#written.push({ job, awaits: 'rset', refusal: null, mayHaveRecipient: false, toRecipient: '', whole: true });
      const [command, message] = chunk(job.mail);
      pieces.push(`RSET\r\n${mailCommand(job.mail, this.#offers)}${rcptCommand(job.mail)}${command}`, message);
      length += message.length;
    }
    return pieces;
  }

  #write(pieces: string[]): void {
    if (pieces.length === 0) return;
    this.since = this.#pool.now;
    this.#wire.write(...pieces);
  }
}

/** By RFC 3463, behind the code of three digits; of a relay that tells none, some text. */
const enhancedCode = (text: string): string => text.slice(4, 9);
/** Whether it says that an address is good. */
const isOfAddress = (text: string): boolean => text.startsWith('2.1.', 4);

const chunk = ({ message }: Mail): [string, string] => [`BDAT ${message.length} LAST\r\n`, message];
