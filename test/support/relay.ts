import { createServer, type Socket } from 'node:net';
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from '../../embedded/smtp-sink.ts';
import type { Mail, Relay } from '../../mail/contracts.ts';
import { createRelay, type RelayOptions } from '../../mail/smtp/relay.ts';
import { readRelays } from '../../mail/smtp/relay-url.ts';
import { createRelays, type RelaysOptions } from '../../mail/smtp/relays.ts';

/** A ready mail of its own for each number. */
export const mailNumber = (n: number, more: Partial<Mail> = {}): Mail => ({
  envelopeFrom: `bounce+7.${n}.check@mail.example`,
  envelopeTo: `person${n}@example.org`,
  message: `From: a@example.org\r\nTo: person${n}@example.org\r\nMessage-ID: <7.${n}@mail.example>\r\n\r\nhello ${n}\r\n`,
  ...more,
});

const unlimited = async (_key: string, _rate: number, wanted: number) => ({ granted: wanted, waitMs: 0 });

/** What a test has opened; `end` closes it all. */
export class Opened {
  #closers: (() => Promise<unknown>)[] = [];

  relay(url: string, more: Partial<RelayOptions> = {}): Relay {
    const relay = createRelay(url, { connections: 4, timeoutMs: 10_000, name: 'test.example', restMs: 100, idleMs: 2000, ...more });
    this.#closers.unshift(() => relay.close());
    return relay;
  }

  /** @param text as in SMTP_RELAYS */
  relays(text: string, more: Partial<RelaysOptions> = {}): Relay {
    const options = { timeoutMs: 10_000, name: 'test.example', restMs: 100, idleMs: 2000, draw: unlimited, ...more };
    const relay = createRelays(readRelays(text, 4), options);
    this.#closers.unshift(() => relay.close());
    return relay;
  }

  async sink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
    const sink = await startSmtpSink(options);
    this.#closers.push(() => sink.close());
    return sink;
  }

  /** A server that does what the test says with each connection. @returns its URL */
  async server(talk: (socket: Socket, line: (text: string) => void) => ((line: string) => void) | undefined): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
      const onLine = talk(socket, (text) => socket.write(`${text}\r\n`));
      let rest = '';
      socket.on('data', (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\r\n');
        rest = lines.pop()!;
        for (const line of lines) onLine?.(line);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#closers.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  /** A relay that does something of the test's before it asks for a content. @returns it, and all the lines its server was sent */
  async relayThatWaits(beforeContent: () => Promise<void>): Promise<{ relay: Relay; lines: string[] }> {
    const lines: string[] = [];
    const url = await this.server((_socket, line) => {
      line('220 ready');
      return async (asked) => {
        lines.push(asked);
        if (asked === 'DATA') await beforeContent();
        line(asked === 'DATA' ? '354 go on' : '250 well');
      };
    });
    return { relay: this.relay(url, { timeoutMs: 60_000 }), lines };
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

/** A relay that takes so long over each mail. @returns its URL */
export const slowServer = (opened: Opened, tookMs: number, onMail: () => void = () => {}): Promise<string> =>
  opened.server((_socket, line) => {
    let isContent = false;
    line('220 slow');
    return (asked) => {
      const ends = isContent && asked === '.';
      if (ends) {
        onMail();
        setTimeout(() => line('250 taken'), tookMs).unref();
      } else if (!isContent) line(asked === 'DATA' ? '354 go on' : '250 so be it');
      isContent = isContent ? !ends : asked === 'DATA';
    };
  });
