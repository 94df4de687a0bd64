import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import { Inbox } from './sink/inbox.ts';
import { startInboxPage } from './sink/page.ts';
import { Rules, type SinkRule } from './sink/rules.ts';
import { type SinkMail, type SinkOffers, SinkSession } from './sink/session.ts';
import { type SinkCounts, Tally } from './sink/tally.ts';

export type { StoredMail } from './sink/inbox.ts';
export type { SinkRule } from './sink/rules.ts';
export type { SinkCounts } from './sink/tally.ts';

export interface SmtpSinkOptions {
  host?: string;
  /** 0 or absent: a free one. */
  port?: number;
  /** Port of the inbox page; 0 is a free one, absent is no page. */
  httpPort?: number;
  /** How many of the last mails are kept to look at. */
  keep?: number;
  offers?: Partial<Omit<SinkOffers, 'starttls'>>;
  /** Key and certificate (PEM). `implicit`: TLS from the first byte; otherwise STARTTLS is offered. */
  tls?: { key: string; cert: string; implicit?: boolean };
  rules?: readonly SinkRule[];
  /** Told of every mail taken; its content is overwritten afterwards. */
  onMail?: (mail: SinkMail) => void;
  /** Told of every recipient refused for good (5xx), at RCPT or after the final dot. */
  onRefused?: (mail: { from: string; to: readonly string[] }) => void;
}

/** A relay that takes every mail, counts it, shows the last ones, and delivers none. */
export interface SmtpSink {
  readonly host: string;
  readonly port: number;
  /** For SMTP_URL. */
  readonly url: string;
  /** Address of the inbox page, if there is one. */
  readonly pageUrl: string | null;
  readonly inbox: Inbox;
  counts(): SinkCounts;
  /** Connections open now. */
  connections(): number;
  setRules(rules: readonly SinkRule[]): void;
  /** Whether BDAT is offered to those who connect from now on. */
  setChunking(offered: boolean): void;
  /** Connections beyond so many are answered 421 and closed; null is no limit. */
  setLimit(connections: number | null): void;
  /** Ends every connection without a word; new ones are taken. */
  dropConnections(): void;
  reset(): void;
  close(): Promise<void>;
}

export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const { host = '127.0.0.1', keep = 100, tls } = options;
  const [tally, inbox, rules] = [new Tally(), new Inbox(keep), new Rules()];
  rules.set(options.rules ?? []);
  const secure: SecureContext | null = tls ? createSecureContext(tls) : null;
  const offers: SinkOffers = {
    pipelining: true,
    chunking: true,
    smtputf8: true,
    size: 0,
    auth: null,
    ...options.offers,
    starttls: tls?.implicit ? null : secure,
  };
  const take = (mail: SinkMail) => {
    const id = messageId(mail.content);
    for (const to of mail.to) tally.add(mail.from, to, id, mail.content.length);
    inbox.add(mail);
    options.onMail?.(mail);
  };
  const sockets = new Set<Socket>();
  let limit = Number.POSITIVE_INFINITY;
  const accept = (socket: Socket) => {
    if (sockets.size >= limit) {
      socket.on('error', () => {});
      socket.end('421 4.7.0 too many connections\r\n');
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    new SinkSession(socket, offers, rules, take, (mail) => options.onRefused?.(mail));
  };
  const server = tls?.implicit ? createTlsServer(tls, accept) : createNetServer({ noDelay: true }, accept);
  const port = await listen(server, options.port ?? 0, host);
  const counts = () => tally.counts();
  const reset = () => {
    tally.reset();
    inbox.clear();
  };
  const page = options.httpPort === undefined ? null : await startInboxPage({ host, port: options.httpPort, inbox, counts, reset });
  return {
    host,
    port,
    url: `${tls?.implicit ? 'smtps' : 'smtp'}://${host}:${port}`,
    pageUrl: page?.url ?? null,
    inbox,
    counts,
    reset,
    connections: () => sockets.size,
    setRules: (list) => rules.set(list),
    setChunking: (offered) => {
      offers.chunking = offered;
    },
    setLimit: (connections) => {
      limit = connections ?? Number.POSITIVE_INFINITY;
    },
    dropConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, page?.close()]);
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });

/** The Message-ID of a mail, or nothing. */
function messageId(content: Buffer): string {
  const header = content.subarray(0, 4096);
  let begin = header.indexOf('\r\nMessage-ID:', 0, 'latin1');
  if (begin < 0) begin = header.toString('latin1').toLowerCase().indexOf('\r\nmessage-id:');
  if (begin < 0) return '';
  const [open, close] = [header.indexOf('<', begin), header.indexOf('>', begin)];
  return open < 0 || close < open ? '' : header.toString('latin1', open + 1, close);
}
