import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import { type BounceListener, type BounceListenerOptions, startBounceListener } from '../../mail/bounce-listener.ts';
import type { ReturnedMail } from '../../mail/returned-mail.ts';
import { abuse, dsn, dsnOfDelay, dsnOfGateway, dsnOfSeveral } from '../support/mail-reports.ts';
import { mailFrom } from '../support/subscriber.ts';

const settings = { baseUrl: 'http://platform.test', mailDomain: 'mail.example', secretKey: 'secret' };

describe('the bounce listener', () => {
  let listener: BounceListener | null = null;
  let reports: ReturnedMail[];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listener?.close();
    listener = null;
  });

  async function start(more: Partial<BounceListenerOptions> = {}) {
    reports = [];
    listener = await startBounceListener({
      host: '127.0.0.1',
      port: 0,
      domain: 'mail.example',
      secretKey: 'secret',
      complaintAddress: 'abuse@mail.example',
      take: async (report) => reports.push(report),
      ...more,
    });
    return listener;
  }

  /** A mail of ours to a person. */
  const mailTo = (userId: number) => mailFrom(7, { user_id: userId, email: `person${userId}@example.org` }, settings);

  const send = (to: string | string[], raw: string, from = '') =>
    nodemailer
      .createTransport({ host: '127.0.0.1', port: listener!.port, ignoreTLS: true })
      .sendMail({ envelope: { from, to: [to].flat() }, raw });

  /** The answer code of a refusal. */
  const refusal = (sent: Promise<unknown>) =>
    sent.then(
      () => 250,
      (error: { responseCode?: number }) => error.responseCode,
    );

  /** A client that says what the test says. */
  async function dial(from = '127.0.0.1'): Promise<{ socket: Socket; heard: () => string; closed: Promise<unknown> }> {
    const socket = connect({ port: listener!.port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, heard: () => text, closed };
  }

  it('reads the examples of RFC 3464, about whom the envelope says', async () => {
    await start();
    const cases: [string, (to: string) => string, string | null, string][] = [
      ['E.1', dsn, 'hard', '5.1.1'],
      ['E.2', dsnOfSeveral, 'hard', '5.1.1'],
      ['E.3', dsnOfGateway, 'hard', '5.0.0'],
      ['E.4', dsnOfDelay, null, ''],
    ];
    for (const [index, [name, make, kind, code]] of cases.entries()) {
      reports = [];
      // The report itself repeats our address nowhere.
      await send(mailTo(40 + index).envelopeFrom, make('postmaster@elsewhere.example'));
      const expected = kind === null ? [] : [[kind, code, 40 + index, 7]];
      assert.deepEqual(
        reports.map((report) => [report.kind, 'code' in report && report.code, report.userId, report.mailingId]),
        expected,
        name,
      );
    }
  });

  it('takes abuse reports at their own address', async () => {
    await start();
    await send('Abuse@Mail.Example', abuse(mailTo(50).message), 'desk@provider.example');
    assert.deepEqual(
      reports.map(({ kind, userId, mailingId }) => [kind, userId, mailingId]),
      [['complaint', 50, 7]],
    );
  });

  it('refuses mail to anybody else', async () => {
    await start();
    const { envelopeFrom } = mailTo(1);
    const others = [
      'postmaster@mail.example',
      'bounce@mail.example',
      'bounce+proof.7@mail.example',
      'bounce@other.example',
      envelopeFrom.replace(/.{3}@/, 'xyz@'),
      envelopeFrom.replace('7.1.', '7.2.'),
      `${'x'.repeat(200)}@mail.example`,
    ];
    for (const to of others) assert.equal(await refusal(send(to, dsn(to))), 550, to);
    assert.deepEqual(reports, []);
    await send(envelopeFrom.toLowerCase(), dsn(envelopeFrom));
    assert.equal(reports.length, 1);
  });

  it('takes what comes to addresses of mails from before MAIL_DOMAIN was changed', async () => {
    await start({ domain: 'new.example', complaintAddress: 'abuse@new.example' });
    const { envelopeFrom } = mailTo(5);
    await send(envelopeFrom, dsn(envelopeFrom));
    await send(envelopeFrom.replace('bounce+', 'unsubscribe+'), 'Subject: unsubscribe\r\n\r\n');
    assert.deepEqual(
      reports.map(({ kind, userId, mailingId }) => [kind, userId, mailingId]),
      [
        ['hard', 5, 7],
        ['unsubscribe', 5, 7],
      ],
    );
  });

  it('has the sender come again when a report cannot be recorded', async () => {
    let away = true;
    const taken: ReturnedMail[] = [];
    await start({
      take: async (report) => {
        if (away) throw new Error('the database is away');
        taken.push(report);
      },
    });
    const to = mailTo(2).envelopeFrom;
    const raw = dsn(to);
    assert.equal(await refusal(send(to, raw)), 451);
    away = false;
    assert.equal(await refusal(send(to, raw)), 250);
    assert.equal(taken.length, 1);
  });

  it('refuses what is too large, whether or not it says so before', async () => {
    await start();
    const to = mailTo(3).envelopeFrom;
    const large = dsn(to) + 'x'.repeat(998).concat('\r\n').repeat(2500);
    assert.equal(await refusal(send(to, large)), 552);
    const { socket, heard } = await dial();
    while (!heard().startsWith('220')) await sleep(10);
    socket.write(`EHLO x\r\nMAIL FROM:<> SIZE=9000000\r\n`);
    while (!/^552/m.test(heard())) await sleep(10);
    socket.write(`RSET\r\nMAIL FROM:<>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
    while (!/^354/m.test(heard())) await sleep(10);
    socket.write(`${large}\r\n.\r\n`);
    while (!/^552.*at most/m.test(heard())) await sleep(10);
    assert.deepEqual(reports, []);
  });

  it('lives through garbage', async () => {
    await start();
    const to = mailTo(4).envelopeFrom;
    const talk = `EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${to}>\r\nDATA\r\n`;
    const garbage = [
      randomBytes(100_000),
      Buffer.alloc(300_000, 'a'),
      Buffer.from('\r\n'.repeat(5000)),
      Buffer.from('MAIL FROM:<>\r\n'.repeat(100)),
      Buffer.from(`EHLO x\r\nMAIL FROM:<\0>\r\nRCPT TO:<${'<'.repeat(5000)}>\r\nDATA\r\n`),
      Buffer.concat([Buffer.from(talk), randomBytes(50_000).filter((byte) => byte !== 46), Buffer.from('\r\n.\r\n')]),
      Buffer.from(`${talk}Content-Type: multipart/report; boundary=a\r\n\r\n${'--a\r\n'.repeat(3000)}\r\n.\r\n`),
      Buffer.from(`${talk}From: x\r\n`),
    ];
    for (const bytes of garbage) {
      const { socket } = await dial();
      socket.end(bytes);
    }
    assert.equal(await refusal(send(to, dsn(to))), 250);
    assert.equal(reports.length, 1);
    for (const raw of ['', '.', '\0'.repeat(1000), `To: ${'('.repeat(50_000)}\r\n\r\n`, 'Subject: away\r\n\r\nI am away.\r\n']) {
      assert.equal(await refusal(send(to, raw)), 250);
    }
    assert.equal(reports.length, 1);
  });

  it('ends connections that are silent, or never come to an end', async () => {
    await start({ idleMs: 150, lifeMs: 700 });
    const silent = await dial();
    const slow = await dial();
    const began = performance.now();
    const drip = setInterval(() => slow.socket.write('N'), 40);
    await silent.closed;
    assert.ok(performance.now() - began < 30_000, 'silent');
    await slow.closed;
    clearInterval(drip);
    assert.ok(performance.now() - began < 30_000, 'slow');
    // Somebody else is let in; again where a busy machine is silent for so long, too.
    while ((await refusal(send(mailTo(5).envelopeFrom, dsn('x')))) !== 250);
  });

  it('holds only so many connections, and tells the others to come again', async () => {
    await start({ connections: 3 });
    const held = [await dial(), await dial(), await dial()];
    while (!held.every(({ heard }) => heard().startsWith('220'))) await sleep(10);
    const more = await dial();
    while (!more.heard()) await sleep(10);
    assert.match(more.heard(), /^421/);
    for (const { socket, closed } of [...held, more]) {
      socket.destroy();
      await closed;
    }
    let answer: number | undefined;
    // It hears of the ends when it comes to them.
    do answer = await refusal(send(mailTo(6).envelopeFrom, dsn('x')));
    while (answer === 421);
    assert.equal(answer, 250);
  });

  it('has whoever holds most of them make room for others, so that nobody keeps the reports of all away', async () => {
    await start({ connections: 4 });
    const stranger = [];
    for (let n = 0; n < 4; n++) stranger.push(await dial('127.0.0.2'));
    while (!stranger.every(({ heard }) => heard().startsWith('220'))) await sleep(10);
    for (let n = 0; n < 3; n++) {
      const more = await dial('127.0.0.2');
      await more.closed;
      assert.match(more.heard(), /^421/);
    }
    assert.equal(await refusal(send(mailTo(8).envelopeFrom, dsn('x'))), 250);
    await stranger[0]!.closed;
    const others = [await dial('127.0.0.3'), await dial('127.0.0.3')];
    while (!others.every(({ heard }) => heard().startsWith('220'))) await sleep(10);
    const third = await dial('127.0.0.3');
    while (!third.heard()) await sleep(10);
    assert.match(third.heard(), /^421/, 'both hold as many');
    assert.equal(stranger.filter(({ socket }) => !socket.destroyed).length, 2);
  });
});
