// Long: one conversation; every command reads and writes the same state.

import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Rules, SinkMoment, SinkRule } from './rules.ts';

/** What a sink says it can do. */
export interface SinkOffers {
  pipelining: boolean;
  /** BDAT (RFC 3030). */
  chunking: boolean;
  smtputf8: boolean;
  /** Largest message; 0 is no limit. */
  size: number;
  starttls: SecureContext | null;
  /** Credentials it insists on. */
  auth: { user: string; password: string; methods: readonly ('PLAIN' | 'LOGIN')[] } | null;
}

export interface SinkMail {
  from: string;
  to: readonly string[];
  /** As it came. Overwritten after the call. */
  content: Buffer;
  /** By DATA: its dots are doubled. */
  dotted: boolean;
}

/** A chunk that is being read. */
interface Chunk {
  size: number;
  last: boolean;
  /** What is answered in place of the usual. */
  reply: string | null;
}

const END = Buffer.from('\r\n.\r\n');
/** Content that is nothing but the final dot. */
const ONLY_DOT = Buffer.from('.\r\n');
const LONGEST_LINE = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** One client's conversation. Replies to everything that came in one piece go out in one piece. */
export class SinkSession {
  #socket: Socket;
  readonly #offers: SinkOffers;
  readonly #rules: Rules;
  readonly #take: (mail: SinkMail) => void;
  readonly #refused: (mail: Pick<SinkMail, 'from' | 'to'>) => void;
  #rest: Buffer | null = null;
  #out = '';
  /** The last reply. */
  #said = '';
  #stalled = false;
  #closing = false;
  #from: string | null = null;
  #to: string[] = [];
  #inContent = false;
  #contentSeen = false;
  #chunk: Chunk | null = null;
  /** Chunks of the mail before this one. */
  #chunks = NOTHING;
  #authorised: boolean;
  /** The lines of AUTH LOGIN awaited. */
  #login: string[] | null = null;
  readonly #seen = new Map<SinkMoment, number>();

  /** @param refused told of recipients refused for good */
  constructor(
    socket: Socket,
    offers: SinkOffers,
    rules: Rules,
    take: (mail: SinkMail) => void,
    refused: (mail: Pick<SinkMail, 'from' | 'to'>) => void,
  ) {
    this.#socket = socket;
    this.#offers = offers;
    this.#rules = rules;
    this.#take = take;
    this.#refused = refused;
    this.#authorised = offers.auth === null;
    this.#listen();
    this.#answer('connect', '', '220 sink ready');
    this.#flush();
  }

  #listen(): void {
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', () => this.#socket.destroy());
  }

  #read(chunk: Buffer): void {
    if (this.#stalled || this.#closing) return;
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    let at = 0;
    while (at < bytes.length && !this.#stalled && !this.#closing) {
      const next = this.#chunk
        ? this.#readChunk(bytes, at, this.#chunk)
        : this.#inContent
          ? this.#readContent(bytes, at)
          : this.#readLine(bytes, at);
      if (next < 0) {
        this.#rest = bytes.subarray(at);
        if (!this.#inContent && !this.#chunk && this.#rest.length > LONGEST_LINE) this.#socket.destroy();
        break;
      }
      at = next;
    }
    this.#flush();
  }

  #flush(): void {
    if (this.#out) this.#socket.write(this.#out, 'latin1');
    this.#out = '';
    if (this.#closing) this.#socket.end();
  }

  /** @returns where it goes on; -1 when the content is not complete */
  #readContent(bytes: Buffer, at: number): number {
    if (this.#breaksContent()) return bytes.length;
    const empty = bytes.length - at >= 3 && bytes.compare(ONLY_DOT, 0, 3, at, at + 3) === 0;
    const end = empty ? at : bytes.indexOf(END, at);
    if (end < 0) return -1;
    this.#inContent = false;
    this.#finish(bytes.subarray(at, empty ? end : end + 2), true);
    return empty ? end + 3 : end + 5;
  }

  #readChunk(bytes: Buffer, at: number, { size, last, reply }: Chunk): number {
    if (this.#breaksContent()) return bytes.length;
    if (bytes.length - at < size) return -1;
    this.#chunk = null;
    const content = bytes.subarray(at, at + size);
    if (reply !== null && reply[0] !== '2') {
      // The sender stays, as it does with others: who does not say RSET is to find out.
      this.#chunks = NOTHING;
      this.#said = reply;
      this.#say(reply);
      // What is said of the command (50x) is not said of the mail.
      if (/^5[^0]/.test(reply) && this.#to.length > 0) this.#refused({ from: this.#from ?? '', to: this.#to });
    } else if (last) {
      const whole = this.#chunks.length > 0 ? Buffer.concat([this.#chunks, content]) : content;
      this.#chunks = NOTHING;
      this.#finish(whole, false, reply ?? undefined);
    } else {
      this.#chunks = Buffer.concat([this.#chunks, content]);
      this.#say('250 2.0.0 go on');
    }
    return at + size;
  }

  /** The first of the content has come. @returns whether a rule has something against it */
  #breaksContent(): boolean {
    if (this.#contentSeen) return false;
    this.#contentSeen = true;
    const rule = this.#rule('content', this.#to[0] ?? '');
    if (rule) this.#apply(rule);
    return rule !== null;
  }

  /** All of the content has come. */
  #finish(content: Buffer, dotted: boolean, taken = '250 2.0.0 taken'): void {
    const [from, to] = [this.#from ?? '', this.#to];
    this.#from = null;
    this.#to = [];
    const refusal =
      to.length === 0 ? '554 no valid recipients' : this.#offers.size && content.length > this.#offers.size ? '552 too large' : null;
    if (this.#answer('message', to[0] ?? '', refusal ?? taken)) this.#take({ from, to, content, dotted });
    else if (this.#said[0] === '5') this.#refused({ from, to });
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(10, at);
    if (end < 0) return -1;
    const line = bytes.toString('utf8', at, bytes[end - 1] === 13 ? end - 1 : end);
    if (this.#login) this.#loginLine(line);
    else this.#command(line);
    return end + 1;
  }

  #command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL') this.#mail(line);
    else if (verb === 'RCPT') this.#rcpt(line);
    else if (verb === 'DATA') this.#data();
    else if (verb === 'BDAT' && this.#offers.chunking) this.#bdat(line);
    else if (verb === 'EHLO') this.#answer('ehlo', line.slice(5), this.#greeting());
    else if (verb === 'HELO') this.#answer('helo', line.slice(5), '250 sink');
    else if (verb === 'RSET') {
      this.#from = null;
      this.#to = [];
      this.#chunks = NOTHING;
      this.#answer('rset', '', '250 2.0.0 reset');
    } else if (verb === 'QUIT') {
      this.#closing = this.#answer('quit', '', '221 2.0.0 bye') || this.#closing;
    } else if (verb === 'AUTH') this.#auth(line);
    else if (verb === 'STAR') this.#starttls();
    else this.#say(verb === 'NOOP' ? '250 2.0.0 ok' : '500 5.5.1 what?');
  }

  #greeting(): string {
    const { pipelining, chunking, smtputf8, size, starttls, auth } = this.#offers;
    const lines = [
      'sink',
      '8BITMIME',
      pipelining && 'PIPELINING',
      chunking && 'CHUNKING',
      smtputf8 && 'SMTPUTF8',
      size > 0 && `SIZE ${size}`,
      starttls && !(this.#socket instanceof TLSSocket) && 'STARTTLS',
      auth && `AUTH ${auth.methods.join(' ')}`,
    ].filter((line): line is string => Boolean(line));
    return lines.map((line, n) => `250${n === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
  }

  #mail(line: string): void {
    const address = pathIn(line, 10);
    const usual = !this.#authorised
      ? '530 5.7.0 authentication required'
      : this.#from !== null
        ? '503 5.5.1 a mail is under way already'
        : address === null
          ? '501 5.1.7 bad sender'
          : '250 2.1.0 ok';
    if (this.#answer('mail', line.slice(5), usual)) this.#from = address ?? '';
  }

  #rcpt(line: string): void {
    const address = pathIn(line, 8);
    const usual = this.#from === null ? '503 5.5.1 no sender yet' : address ? '250 2.1.5 ok' : '501 5.1.3 bad recipient';
    if (this.#answer('rcpt', address ?? line, usual)) this.#to.push(address ?? '');
    else if (this.#said[0] === '5' && address) this.#refused({ from: this.#from ?? '', to: [address] });
  }

  #data(): void {
    const usual = this.#to.length > 0 ? '354 go on' : '503 5.5.1 no recipient yet';
    const begun = this.#answer('data', this.#to[0] ?? '', usual);
    this.#inContent = begun;
    this.#contentSeen = false;
  }

  #bdat(line: string): void {
    const [, size, last] = /^BDAT (\d{1,9})( LAST)?$/i.exec(line) ?? [];
    const rule = this.#rule('bdat', this.#to[0] ?? '');
    // Behind an unreadable size, content and commands cannot be told apart.
    if (rule?.next || size === undefined) {
      this.#apply(rule ?? { at: 'bdat', reply: '501 5.5.4 bad size', next: 'close' });
      return;
    }
    const reply = rule?.reply ?? (this.#to.length > 0 ? null : '503 5.5.1 no recipient yet');
    this.#chunk = { size: Number(size) + (rule?.misread ?? 0), last: last !== undefined, reply };
    this.#contentSeen = this.#chunks.length > 0;
    if (this.#chunk.size === 0) this.#readChunk(NOTHING, 0, this.#chunk);
  }

  #auth(line: string): void {
    const [, method = '', initial] = line.split(' ');
    const { auth } = this.#offers;
    if (!auth?.methods.includes(method.toUpperCase() as 'PLAIN')) this.#answer('auth', method, '504 5.5.4 no such method');
    else if (method.toUpperCase() === 'LOGIN') {
      this.#login = [];
      this.#say('334 VXNlcm5hbWU6');
    } else {
      const [, user, password] = Buffer.from(initial ?? '', 'base64')
        .toString()
        .split('\0');
      this.#checkLogin(user, password);
    }
  }

  #loginLine(line: string): void {
    const lines = this.#login!;
    lines.push(Buffer.from(line, 'base64').toString());
    if (lines.length < 2) {
      this.#say('334 UGFzc3dvcmQ6');
      return;
    }
    this.#login = null;
    this.#checkLogin(lines[0], lines[1]);
  }

  #checkLogin(user: string | undefined, password: string | undefined): void {
    const right = user === this.#offers.auth!.user && password === this.#offers.auth!.password;
    this.#authorised = this.#answer('auth', user ?? '', right ? '235 2.7.0 welcome' : '535 5.7.8 wrong credentials');
  }

  #starttls(): void {
    const secureContext = this.#offers.starttls;
    if (!this.#answer('starttls', '', secureContext ? '220 2.0.0 go on' : '502 5.5.1 not here') || !secureContext) return;
    this.#flush();
    const plain = this.#socket;
    plain.removeAllListeners('data');
    this.#socket = new TLSSocket(plain, { isServer: true, secureContext });
    this.#listen();
  }

  #rule(at: SinkMoment, argument: string): SinkRule | null {
    if (this.#rules.none) return null;
    const nth = (this.#seen.get(at) ?? 0) + 1;
    this.#seen.set(at, nth);
    return this.#rules.find(at, argument, nth);
  }

  /** Answers as usual or as a rule says. @returns whether what was asked for is granted */
  #answer(at: SinkMoment, argument: string, usual: string): boolean {
    const rule = this.#rule(at, argument);
    this.#said = rule ? (rule.reply ?? '') : usual;
    if (rule) return this.#apply(rule);
    this.#say(usual);
    return usual[0] === '2' || usual[0] === '3';
  }

  #apply(rule: SinkRule): boolean {
    if (rule.reply !== undefined) this.#out += rule.half ? rule.reply : `${rule.reply}\r\n`;
    if (rule.next === 'stall') this.#stalled = true;
    if (rule.next === 'close') this.#closing = true;
    return rule.keep ?? /^[23]/.test(rule.reply ?? '');
  }

  #say(reply: string): void {
    this.#out += `${reply}\r\n`;
  }
}

/** The address between the angle brackets of MAIL FROM or RCPT TO; null when there are none. */
function pathIn(line: string, begin: number): string | null {
  const open = line.indexOf('<', begin);
  const close = line.indexOf('>', open);
  return open < 0 || close < 0 ? null : line.slice(open + 1, close);
}
