import { asBytes } from '../address.ts';
import type { Mail, Outcome } from '../contracts.ts';
import type { Offers } from './handshake.ts';
import { shownReply } from './replies.ts';

// What the two ways of handing mails over (DATA and BDAT) have in common.

/** A mail on its way, and who waits for its outcome. */
export interface Job {
  mail: Mail;
  mayWrite: (() => boolean) | undefined;
  /** How many connections it has been given to. */
  tries: number;
  settle(outcome: Outcome): void;
}

/** One connection that is ready, delivering one mail after another. */
export interface Delivery {
  /** Nothing is on the way. */
  readonly isIdle: boolean;
  readonly isQuitting: boolean;
  /** How many mails at a time it gains by, at most. */
  readonly deepest: number;
  /** Mails that got an answer on this connection. */
  readonly served: number;
  /** When something was last written or read, by the pool's clock. */
  readonly since: number;
  /** Takes up what is in line. Only when idle. */
  start(): void;
  /** Ends the connection politely. Only when idle. */
  quit(): void;
  /** Ends the connection at once. */
  drop(reason: string): void;
}

/** What a delivery needs of the pool it belongs to. */
export interface Pool {
  /** Milliseconds, to about a second: looking at the real clock for each step would cost more than it tells. */
  readonly now: number;
  /** BDAT may be used where it is offered. */
  readonly chunks: boolean;
  /** By DATA, commands may follow a content before its answer (RFC 2920, 3.1). A relay that refuses them gets none from then on. */
  behindContent: boolean;
  /** How many mails a connection has at a time. */
  readonly depth: number;
  /** The next mail in line, if any. */
  take(): Job | undefined;
  /** Nothing to do: may be started any time. */
  idle(delivery: Delivery): void;
  /**
   * What becomes of a mail to which the relay has said 421: to its content, or to its recipient where the connection had carried no other. Nearly always it says that of
   * itself.
   */
  afterGoodbye(job: Job, reply: string): Outcome;
  /**
   * What becomes of a mail to which the relay has said 4xx because of itself.
   * @param certainly whoever it is for: so there is no need to wait for what it says to many others
   */
  putOffByItself(reply: string, certainly?: boolean): Outcome;
  /** The relay offers BDAT and does not know it, or does it wrong: connections made from now on use DATA. */
  withoutChunks(): void;
  /** The connection is gone. `unsent` are mails that the relay certainly does not have. */
  ended(delivery: Delivery, unsent: Job[], relay: 'down' | 'busy', reason: string): void;
}

/** The first answer that says no to a mail before its content. */
export interface Refusal {
  step: 'mail' | 'rcpt' | 'data';
  code: number;
  text: string;
}

/** To a sender, behind a SIZE: of the mail, and not of the sender. */
const TOO_LARGE = 552;
const BEYOND_ASCII = /[^ -~]/;
/**
 * 4xx by which a relay speaks of itself or of us, whatever mail it is said to: its disk is full, its filter away, a quota used up, our names not found. "Mail system
 * status" of RFC 3463, 3.4, our sender's domain (X.1.8), our address's name (RFC 7372), and where no such code is given, storage (RFC 5321, 4.2.3) and throttling (Amazon
 * SES says "454 Throttling failure: Daily message quota exceeded.").
 */
const OF_ITSELF = /^(?:4\d\d[ -]4\.(?:3\.\d|1\.8|7\.25)|45[24][ -](?!4\.\d))/;
/**
 * So it does in words where the code says "policy" or nothing: of rates, of a filter (Postfix, of its milters), and of who asks, which Postfix says to the recipient
 * (`smtpd_delay_reject`). "Temporary local problem" of Exim is not among them: it says that also of a recipient whose domain cannot be looked up.
 */
const SAYS_OF_ITSELF =
  /^4\d\d[ -](?!4\.[1-6]\.).*(?:\brate[ -]?limit|\brate (?:over|exceed)|too many recipients from|service unavailable|(?:client host|helo command) rejected)/is;
const GREYLISTS = /gr[ae]y-?list/i;
/** To the next bracket of either kind: of nothing but opening ones, each would be followed to the end. */
const IN_BRACKETS = /<[^<>]*>/g;

function isOfItself(text: string): boolean {
  if (OF_ITSELF.test(text)) return true;
  const said = text.replace(IN_BRACKETS, '<>');
  return SAYS_OF_ITSELF.test(said) && !GREYLISTS.test(said);
}

/** The next mail in line that may still be begun and this relay can take at all; others before it are settled. */
export function takeAcceptable(pool: Pool, offers: Offers): Job | null {
  for (let job = pool.take(); job; job = pool.take()) if (isAcceptable(job, offers)) return job;
  return null;
}

function isAcceptable(job: Job, { size, smtputf8 }: Offers): boolean {
  if (job.mayWrite?.() === false) {
    job.settle({ kind: 'unsent', relay: 'given-up', reply: 'given up before it was begun' });
    return false;
  }
  const { envelopeTo, message } = job.mail;
  if (size > 0 && message.length > size) {
    job.settle({ kind: 'failed', reply: `552 the mail has ${message.length} bytes, the relay takes ${size}`, unable: true });
    return false;
  }
  if (!smtputf8 && BEYOND_ASCII.test(envelopeTo)) {
    job.settle({ kind: 'failed', reply: '553 the relay takes no address beyond ASCII', unasked: true, unable: true });
    return false;
  }
  return true;
}

export function mailCommand({ envelopeFrom, envelopeTo, message }: Mail, offers: Offers): string {
  const size = offers.size ? ` SIZE=${message.length}` : '';
  const utf8 = BEYOND_ASCII.test(envelopeTo) ? ' BODY=8BITMIME SMTPUTF8' : '';
  return `MAIL FROM:<${envelopeFrom}>${size}${utf8}\r\n`;
}

export const rcptCommand = ({ envelopeTo }: Mail): string => `RCPT TO:<${asBytes(envelopeTo)}>\r\n`;

/** What the answer to a mail's content says. */
export function finalOutcome(code: number, text: string, pool: Pool): Outcome {
  const reply = shownReply(text);
  if (code < 300) return { kind: 'accepted', reply };
  return code < 500 ? putOff(text, pool) : { kind: 'failed', reply };
}

function putOff(text: string, pool: Pool): Outcome {
  const reply = shownReply(text);
  return isOfItself(text) ? pool.putOffByItself(reply) : { kind: 'deferred', reply };
}

/**
 * Senders differ only in numbers: where one is refused on a connection that others were taken on, the relay has had enough of the connection (OpenSMTPD says 452 to all
 * behind the hundredth mail). Another one takes the mail, or refuses it too.
 * @param carried the relay has taken a mail on this connection
 */
export const isOfConnection = ({ step, code }: Refusal, carried: boolean): boolean =>
  carried && step === 'mail' && code !== 421 && code !== TOO_LARGE;

/**
 * A sender refused for good is refused in every mail: its address differs only in numbers. That is for an operator to mend, and
 * must not be held against recipients.
 */
export function refusalOutcome({ step, code, text }: Refusal, pool: Pool): Outcome {
  const reply = shownReply(text);
  // Senders differ only in numbers.
  if (code < 500) return step === 'mail' ? pool.putOffByItself(reply, true) : putOff(text, pool);
  if (step === 'mail' && code !== TOO_LARGE) return { kind: 'unsent', relay: 'refused-credentials', reply };
  return { kind: 'failed', reply };
}
