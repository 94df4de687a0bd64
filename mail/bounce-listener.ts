import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { callerKey } from '../domain/caller-key.ts';
import { ByteSink } from './byte-sink.ts';
import { readReturnAddress } from './compile.ts';
import { FairConnections } from './fair-connections.ts';
import { type ReturnedMail, readReturnedMail } from './returned-mail.ts';

export interface BounceListenerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** How the listener greets. */
  domain: string;
  secretKey: string;
  /** Where abuse reports are sent to. */
  complaintAddress: string;
  /** Records a report. When it rejects, the sender is told to come again. */
  take: (report: ReturnedMail) => Promise<unknown>;
  onError?: (error: Error) => void;
  connections?: number;
  /** Longest silence, and longest life, of a connection. */
  idleMs?: number;
  lifeMs?: number;
}

export interface BounceListener {
  port: number;
  /** Takes nothing new, lets what is being recorded end. */
  close(): Promise<void>;
}

/** Bytes of one report. */
const LONGEST_REPORT = 2 * 1024 * 1024;

/**
 * An SMTP server for what comes back: reports to the bounce addresses of our mails, mail to their unsubscribe addresses, and abuse reports to one address more; mail to anybody else is
 * refused. A report is answered with 250 once it is recorded; what is no report about a mail of ours is taken and dropped, since nobody could do
 * better with it on a second try.
 * @throws the error of the port that cannot be had
 */
export async function startBounceListener(options: BounceListenerOptions): Promise<BounceListener> {
  const { host, port, domain, secretKey, take, onError = () => {}, connections = 50, idleMs = 30_000, lifeMs = 300_000 } = options;
  const complaints = options.complaintAddress.toLowerCase();

  // In whatever domain: that of mails from before MAIL_DOMAIN was changed is another, and nobody can make up what stands before it.
  const isOurs = (address: string): boolean =>
    address.toLowerCase() === complaints || readReturnAddress(secretKey, address.slice(0, address.lastIndexOf('@'))) !== null;

  const record = async (raw: Buffer, recipients: string[]): Promise<void> => {
    for (const recipient of recipients) {
      const report = await readReturnedMail(raw, secretKey, recipient).catch((error: Error) => {
        // What cannot even be read can be no better the next time.
        onError(error);
        return null;
      });
      if (report) await take(report);
    }
  };

  const fair = new FairConnections(connections);
  /** By the other end, whose address the server and the socket write each in its own way. */
  const endOf = ({ remoteAddress = '', remotePort = 0 }) => `${callerKey(remoteAddress)} ${remotePort}`;
  const refused = new Set<string>();
  const server = new SMTPServer({
    name: domain,
    banner: 'reports about mail, nothing else',
    size: LONGEST_REPORT,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    // Those that are told to come again, too.
    maxClients: 4 * connections,
    socketTimeout: idleMs,
    closeTimeout: 2_000,
    onConnect: (session, done) => done(refused.has(endOf(session)) ? refusal(421, 'too many connections, come again in a moment') : null),
    onRcptTo: ({ address }, _session, done) => done(isOurs(address) ? null : refusal(550, 'no such address here')),
    onData: (stream, session, done) => {
      read(stream)
        .then(async (raw) => {
          if (!raw) throw refusal(552, `reports have at most ${LONGEST_REPORT} bytes`);
          // An address is ours in small letters and large ones: written in a hundred ways it is one.
          const recipients = session.envelope.rcptTo.map(({ address }) => address.toLowerCase());
          await record(raw, [...new Set(recipients)]).catch((error: Error) => {
            onError(error);
            throw refusal(451, 'cannot be recorded just now');
          });
        })
        .then(() => done(null, 'taken'), done);
    },
  });
  // Clients that go away in the middle of something.
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    if (!fair.take(socket)) {
      const end = endOf(socket);
      refused.add(end);
      socket.once('close', () => refused.delete(end));
    }
    const end = setTimeout(() => socket.destroy(), lifeMs);
    socket.once('close', () => clearTimeout(end));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

/**
 * Reads a message to its end, put together as it comes: in lines that begin with a dot it comes in pieces of three bytes, each of which takes fifty
 * times that for as long as it is kept.
 * @returns null for one that is too long, of which no more was kept than is allowed
 */
async function read(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const held = new ByteSink();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (stream.sizeExceeded) held.clear();
    else held.bytes(chunk);
  }
  return stream.sizeExceeded ? null : held.copy();
}
