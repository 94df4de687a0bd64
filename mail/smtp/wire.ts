import net from 'node:net';
import tls from 'node:tls';
import type { RelayAddress } from './relay-url.ts';
import { type Reply, ReplyReader } from './replies.ts';

// One connection's socket: bytes out, replies in, and an end that is told once.

/** Bytes of all plain connections are read into this: what comes is looked at before the next read. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * What is written to plain connections is put together here: joining the pieces as strings would copy them once more. The kernel has taken it when the
 * write returns, or it is left to the socket and replaced.
 */
let outgoing = Buffer.allocUnsafeSlow(128 * 1024);

export interface WireListener {
  reply(code: number, text: string): void;
  /** All replies that came in one piece, one at least, have been told. */
  heard?(): void;
  /** The connection is gone, for whatever reason. Told once. */
  lost(reason: string): void;
}

export class Wire {
  #socket: net.Socket;
  #reader = new ReplyReader();
  #over = false;
  /** Who is told; changed when the handshake hands over to the delivery of mails. */
  listener: WireListener;

  constructor({ host, port, tls: mode, verify }: RelayAddress, listener: WireListener) {
    this.listener = listener;
    if (mode === 'always') {
      this.#socket = tls.connect({ host, port, servername: nameFor(host), rejectUnauthorized: verify });
      this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    } else {
      const callback = (length: number) => {
        this.#read(shared.subarray(0, length));
        return true;
      };
      this.#socket = net.connect({ host, port, onread: { buffer: shared, callback } });
    }
    this.#socket.setNoDelay(true);
    this.#watch(this.#socket);
  }

  get over(): boolean {
    return this.#over;
  }

  /** The other end has taken the connection, in clear, and never said a word. */
  get isMute(): boolean {
    return !(this.#socket instanceof tls.TLSSocket) && !this.#socket.connecting && this.#socket.bytesRead === 0;
  }

  /** Bytes that were written and could not leave yet. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  /** @param pieces characters that are bytes */
  write(...pieces: string[]): void {
    if (this.#over) return;
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (pieces.length === 1 || length > outgoing.length || this.#socket instanceof tls.TLSSocket) {
      this.#socket.write(pieces.join(''), 'latin1');
      return;
    }
    let end = 0;
    for (const piece of pieces) end += outgoing.write(piece, end, 'latin1');
    this.#socket.write(outgoing.subarray(0, end));
    if (this.#socket.writableLength > 0) outgoing = Buffer.allocUnsafeSlow(outgoing.length);
  }

  /** Gives the connection up, telling the listener. */
  drop(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.destroy();
    this.listener.lost(reason);
  }

  /** Takes TLS up. @returns a promise that is rejected when that fails; the connection is then of no use */
  upgrade(host: string, verify: boolean): Promise<void> {
    // What came in clear after the answer to STARTTLS could be anybody's.
    if (this.#reader.inTheMiddle) return Promise.reject(new Error('the relay sent more than its answer before TLS'));
    const plain = this.#socket;
    plain.removeAllListeners();
    return new Promise((resolve, reject) => {
      // By `host` the certificate of an address is checked, which has no server name: without, it would have to be that of localhost.
      const secure = tls.connect({ socket: plain, host, servername: nameFor(host), rejectUnauthorized: verify }, resolve);
      secure
        .once('error', (error) => reject(new Error(reasonOf(error))))
        .once('close', () => reject(new Error('the connection was closed during TLS')));
      plain.on('error', () => {});
      secure.on('data', (chunk: Buffer) => this.#read(chunk));
      this.#reader = new ReplyReader();
      this.#socket = secure;
      this.#watch(secure);
    });
  }

  #watch(socket: net.Socket): void {
    socket.on('error', (error) => this.drop(reasonOf(error)));
    socket.on('end', () => this.drop('the relay closed the connection'));
    socket.on('close', () => this.drop('the connection was closed'));
  }

  #read(chunk: Buffer): void {
    let told = false;
    try {
      this.#reader.read(chunk, (code, text) => {
        told = true;
        if (!this.#over) this.listener.reply(code, text);
        return !this.#over;
      });
      // A piece of a reply is nothing to go on by.
      if (told) this.listener.heard?.();
    } catch (error) {
      this.drop((error as Error).message);
    }
  }
}

/** Of Node.js and OpenSSL, for a certificate that is not believed. */
const OF_CERTIFICATE = /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_CERT)/;

/** In clear where TLS was expected. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** @param error of TLS with OpenSSL's own word for it, beside a message with names of its sources */
function reasonOf({ message, code = '', reason }: NodeJS.ErrnoException & { reason?: string }): string {
  if (code === NO_TLS)
    return 'the relay does not begin with TLS at this port (smtps:// is for ports that do, as 465; smtp:// uses TLS where it is offered)';
  if (reason && code.startsWith('ERR_SSL_')) return `TLS with the relay failed: ${reason}`;
  if (!OF_CERTIFICATE.test(code)) return message || code || 'the connection failed';
  // What follows is advice for programs that are started by hand.
  const [what] = message.split('; if the root CA');
  return `the relay’s certificate is not believed: ${what} (NODE_EXTRA_CA_CERTS names a file of authorities to believe; ?tls.rejectUnauthorized=false in SMTP_URL believes any)`;
}

/** Server name for TLS; an address has none. */
const nameFor = (host: string) => (net.isIP(host) ? '' : host);

/** Lets a wire be talked to in questions and answers: for the handshake, where speed does not matter. */
export class Conversation implements WireListener {
  #waiting: PromiseWithResolvers<Reply> | null = null;
  #early: Reply[] = [];
  #reason: string | null = null;

  /** Whether more has been said than was asked. */
  get hasMore(): boolean {
    return this.#early.length > 0;
  }

  /** @throws Error when the connection is lost */
  async next(): Promise<Reply> {
    const early = this.#early.shift();
    if (early) return early;
    if (this.#reason !== null) throw new Error(this.#reason);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  reply(code: number, text: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) waiting.resolve({ code, text });
    else this.#early.push({ code, text });
  }

  lost(reason: string): void {
    this.#reason = reason;
    this.#waiting?.reject(new Error(reason));
    this.#waiting = null;
  }
}
