import assert from 'node:assert/strict';
import { simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { makeCertificate } from '../../../embedded/certificate.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

// A server that others wrote reads the standards as others do.

describe('the relay client and another SMTP server', () => {
  const opened = new Opened();
  const servers: SMTPServer[] = [];
  afterEach(async () => {
    await opened.end();
    for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  async function start(options: SMTPServerOptions) {
    const received: { to: string; content: string }[] = [];
    const server = new SMTPServer({
      authOptional: true,
      ...options,
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          received.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), content: Buffer.concat(chunks).toString() });
          done();
        });
      },
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return { received, address: `127.0.0.1:${(server.server.address() as { port: number }).port}` };
  }

  it('agree about many mails at once, with and without a refused one', async () => {
    const { received, address } = await start({
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo({ address: to }, _session, done) {
        done(to === 'person13@example.org' ? Object.assign(new Error('nobody here'), { responseCode: 550 }) : null);
      },
    });
    const relay = opened.relay(`smtp://${address}`);
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => relay.send(mailNumber(n))));
    for (const [n, { kind, reply }] of outcomes.entries()) assert.equal(kind, n === 13 ? 'failed' : 'accepted', `${n}: ${reply}`);
    assert.match(outcomes[13]!.reply, /^550 nobody here/);
    assert.equal(new Set(received.map(({ to }) => to)).size, 199);
    assert.equal((await simpleParser(received[0]!.content)).text?.trim().startsWith('hello'), true);
  });

  it('agree about one command at a time', async () => {
    const { received, address } = await start({ disabledCommands: ['STARTTLS', 'AUTH'], hidePIPELINING: true });
    const relay = opened.relay(`smtp://${address}`);
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => relay.send(mailNumber(n))));
    assert.ok(outcomes.every(({ kind }) => kind === 'accepted'));
    assert.equal(received.length, 50);
  });

  it('agree about one that refuses commands behind a content, lest they were smuggled into it (Haraka)', async () => {
    const taken: string[] = [];
    let refused = 0;
    const url = await opened.server((_socket, line) => {
      let to = '';
      let state: 'commands' | 'content' | 'queueing' = 'commands';
      let behind = 0;
      line('220 ready');
      return (asked) => {
        if (state === 'queueing') behind++;
        else if (state === 'commands') {
          to = /^RCPT TO:<(.*)>/.exec(asked)?.[1] ?? to;
          state = asked === 'DATA' ? 'content' : 'commands';
          line(asked === 'DATA' ? '354 go on' : asked.startsWith('EHLO') ? '250-here\r\n250 PIPELINING' : '250 well');
        } else if (asked === '.') {
          state = 'queueing';
          setTimeout(() => {
            taken.push(to);
            line('250 queued');
            for (; behind > 0; behind--, refused++) line('503 Bad sequence of commands - pipelined after end of DATA');
            state = 'commands';
          }, 5);
        }
      };
    });
    const relay = opened.relay(url);
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, n) => relay.send(mailNumber(n))));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']));
    assert.deepEqual([taken.length, new Set(taken).size], [60, 60]);
    assert.ok(refused > 0 && refused <= 4 * 3, `${refused} commands were refused`);
  });

  it('agree about TLS and credentials', async () => {
    const { received, address } = await start({
      ...makeCertificate(),
      authOptional: false,
      onAuth({ username, password }, _session, done) {
        if (username === 'ann' && password === 'pass wörd') done(null, { user: 1 });
        else done(new Error('wrong'));
      },
    });
    const send = (password: string) =>
      opened
        .relay(`smtp://ann:${encodeURIComponent(password)}@${address}?requireTLS=true&tls.rejectUnauthorized=false`)
        .send(mailNumber(1));
    assert.equal((await send('pass wörd')).kind, 'accepted');
    assert.deepEqual(await send('wrong'), { kind: 'unsent', relay: 'refused-credentials', reply: '535 wrong' });
    assert.equal(received.length, 1);
  });
});
