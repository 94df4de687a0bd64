import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { akidDigest } from '../../domain/akid.ts';
import { readBounceReport } from '../../mail/bounce-report.ts';
import { everyTurnMs, longestTurnMs } from '../support/processor-time.ts';

const SECRET = 'secret';
const OURS = `bounce+7.9.${akidDigest(SECRET, '7.9').slice(22, 32).toLowerCase()}@example.org`;
const HEAD = `From: mailer@example.net\r\nTo: ${OURS}\r\nSubject: Undelivered\r\n`;
const MOST = 2 * 1024 * 1024;

const read = (text: string) => readBounceReport(Buffer.from(text).subarray(0, MOST), SECRET, OURS);

const REPORT = (type: string, encoding: string, status: string) =>
  [
    `${HEAD}Content-Type: multipart/report; boundary="b 1"`,
    '',
    '--b 1',
    'Content-Type: text/plain; format=flowed; delsp=yes',
    '',
    'Sorry. ',
    '--b 1',
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    status,
    '--b 1',
    'Content-Type: message/rfc822',
    '',
    'Subject: of the mail it is about',
    'Content-Type: message/delivery-status',
    '',
    'Action: delivered',
    '',
    '--b 1--',
    '',
  ].join('\r\n');

describe('reports about mail', () => {
  it('of James, which repeats the answer as status, and calls one of several lines its own', async () => {
    const said = (answer: string, type: string) =>
      REPORT(
        'message/delivery-status',
        '7bit',
        `Reporting-MTA: dns; james\r\n\r\nFinal-Recipient: rfc822; a@b.c\r\nAction: failed\r\nStatus: ${answer}\r\nDiagnostic-Code: ${type}; ${answer}\r\n`,
      );
    const lines = '550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 Learn more: https://support.example';
    for (const [text, kind, code] of [
      [said('550 5.1.1 <a@b.c>: no such user', 'smtp'), 'hard', '5.1.1'],
      [said(lines, 'X-James'), 'hard', '5.1.1'],
      [said(lines.replaceAll('5.1.1', '5.2.2'), 'X-James'), 'soft', '5.2.2'],
      [said('Connection refused', 'X-James'), 'soft', ''],
    ] as const) {
      const found = await read(text);
      deepEqual([found?.kind, found?.code], [kind, code], text);
    }
  });

  const STATUS =
    'Reporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; a@b.c\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; gone\r\n';

  it('are read from the part that is for programs, however it is encoded', async () => {
    for (const [type, encoding, status] of [
      ['message/delivery-status', '7bit', STATUS],
      ['MESSAGE/Delivery-Status; charset=us-ascii', 'base64', Buffer.from(STATUS).toString('base64')],
      ['message/global-delivery-status', 'quoted-printable', STATUS.replaceAll('=', '=3D').replace('gone', 'go=\r\nne')],
    ] as const) {
      const report = await read(REPORT(type, encoding, status));
      const { reportId, ...found } = report!;
      deepEqual(found, { userId: 9, mailingId: 7, kind: 'hard', code: '5.1.1', diagnostic: 'smtp; gone', addresses: ['a@b.c'] }, type);
      ok(reportId);
    }
    equal((await read(REPORT('message/feedback-report', '7bit', 'Feedback-Type: abuse\r\n')))?.kind, 'complaint');
    const manyParts = `\r\n--b 1\r\n\r\nx`.repeat(2000);
    equal((await read(REPORT('message/delivery-status', '7bit', STATUS).replace('--b 1--', manyParts)))?.kind, 'hard');
    equal(await read(`${HEAD}\r\nI am on holiday.\r\n`), null);
  });

  it('are the same one whatever way they came, and others where they say so or name none', async () => {
    const report = REPORT('message/delivery-status', '7bit', STATUS);
    const by = (id: string) => (way: string) => `Received: from a by ${way};\r\n\tMon, 30 Nov 2026 10:00:00 +0000\r\n${id}${report}`;
    const idOf = async (text: string) => (await read(text))!.reportId;
    const named = by('Message-Id:\r\n <1@mx.example>\r\n');
    equal(await idOf(named('mx1')), await idOf(named('mx2')));
    notEqual(await idOf(named('mx1')), await idOf(by('Message-ID: <2@mx.example>\r\n')('mx1')));
    // Soft first, and then for good.
    notEqual(await idOf(named('mx1').replace('Status: 5.1.1', 'Status: 5.2.2')), await idOf(named('mx1')));
    const bare = by('');
    equal(await idOf(bare('mx1')), await idOf(bare('mx1')));
    notEqual(await idOf(bare('mx1')), await idOf(bare('mx2')));
    // That of the mail it is about is not its own.
    const about = (text: string) => text.replace('Subject: of the mail', 'Message-ID: <of@the.mail>\r\nSubject: of the mail');
    notEqual(await idOf(about(bare('mx1'))), await idOf(about(bare('mx2'))));
  });

  it('are judged by the answer they quote where their status says nothing', async () => {
    const exim = (answer: string) =>
      `Reporting-MTA: dns; exim.example\r\n\r\nAction: failed\r\nFinal-Recipient: rfc822;a@b.c\r\nStatus: 5.0.0\r\nRemote-MTA: dns; mx.example\r\nDiagnostic-Code: smtp; ${answer}\r\n`;
    for (const [answer, kind, code] of [
      ['550 5.1.1 no such user', 'hard', '5.1.1'],
      ['550 5.7.1 refused as spam', 'soft', '5.7.1'],
      ['552-5.2.2 mailbox full', 'soft', '5.2.2'],
      ['452 4.2.2 over quota: retry timeout exceeded', 'soft', '4.2.2'],
      ['451 come again: retry timeout exceeded', 'soft', '5.0.0'],
      ['552 mailbox full', 'soft', '5.0.0'],
      ['552 5.1.1 no such user', 'hard', '5.1.1'],
      ['550 User unknown', 'hard', '5.0.0'],
    ] as const) {
      const report = await read(REPORT('message/delivery-status', '7bit', exim(answer)));
      deepEqual([report?.kind, report?.code], [kind, code], answer);
    }
    const openSmtpd = (answer: string) =>
      REPORT('message/delivery-status', '7bit', STATUS.replace('5.1.1', '5.0.0').replace(/Diagnostic.*\r\n/, '')).replace(
        'Sorry. ',
        `Hi!\r\n\r\nx@y.z: 550 5.1.1 of another\r\nA@b.c: ${answer}`,
      );
    for (const [answer, kind, code] of [
      ['550 5.1.1 no such user', 'hard', '5.1.1'],
      ['550 5.7.1 refused as spam', 'soft', '5.7.1'],
    ] as const) {
      const report = await read(openSmtpd(answer));
      deepEqual([report?.kind, report?.code, report?.diagnostic], [kind, code, answer]);
    }
  });

  it('say nothing of an address that is not about it, or not for good', async () => {
    const status = (given: string, answer: string) =>
      `Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822;a@b.c\r\nAction: failed\r\n${given && `Status: ${given}\r\n`}Diagnostic-Code: smtp;${answer}\r\n`;
    for (const [given, answer, kind, code] of [
      ['5.1.8', '550 5.1.8 <x@y.z>: Sender address rejected: Domain not found', 'soft', '5.1.8'],
      ['5.1.7', '550 5.1.7 sender is not verified', 'soft', '5.1.7'],
      ['5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound', 'hard', '5.1.10'],
      ['5.2.1', '550 5.2.1 the account is disabled', 'hard', '5.2.1'],
      ['5.2.3', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'soft', '5.2.3'],
      ['5.2.122', '550 5.2.122 the recipient gets too much mail in this hour', 'soft', '5.2.122'],
      ['5.3.2', '550 5.3.2 system not accepting messages', 'soft', '5.3.2'],
      ['5.6.0', '554 5.6.0 invalid content', 'soft', '5.6.0'],
      // Exchange Online
      ['5.0.350', '550 5.0.350 Remote server returned an error -> 552 5.2.2 mailbox full', 'soft', '5.2.2'],
      ['5.0.350', '550 5.0.350 Remote server returned an error -> 552 mailbox full', 'soft', '5.0.350'],
      ['5.0.350', '550 5.0.350 Remote server returned an error -> 550 account closed', 'hard', '5.0.350'],
      // Haraka
      ['', '550 User unknown', 'hard', '5.0.0'],
      ['', '554 5.7.1 spam', 'soft', '5.7.1'],
      ['5.2.0', '450 4.2.0 greylisted', 'soft', '5.2.0'],
    ] as const) {
      const report = await read(REPORT('message/delivery-status', '7bit', status(given, answer)));
      deepEqual([report?.kind, report?.code], [kind, code], answer);
    }
  });

  it('are complaints where Outlook.com sends back the mail alone', async () => {
    const returned = (header: string) =>
      `From: staff@hotmail.com\r\nTo: abuse@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${header}Return-Path: <${OURS}>\r\nSubject: Hello\r\n\r\nHi\r\n\r\n--b--\r\n`;
    const of = (text: string) => readBounceReport(Buffer.from(text), SECRET, 'abuse@example.org');
    const report = await of(returned('X-HmXmrOriginalRecipient: ann@hotmail.com\r\n'));
    deepEqual([report?.kind, report?.userId, report?.mailingId], ['complaint', 9, 7]);
    equal(await of(returned('')), null);
  });

  it('of qmail are read, which are text in a fixed form', async () => {
    const qmail = (paragraphs: string) =>
      `${HEAD}\nHi. This is the qmail-send program at mx.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n${paragraphs}\n--- Below this line is a copy of the message.\n\n<x@y.z>:\nof the mail (#5.1.1)\n`;
    const later = "I'm not going to try again; this message has been in the queue too long.";
    for (const [said, kind, code] of [
      ['Sorry, no mailbox here by that name. (#5.1.1)\n', 'hard', '5.1.1'],
      ['The mailbox is full, message returned to sender. (#5.2.2)\n', 'soft', '5.2.2'],
      ['192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 <a@b.c>: unknown\nGiving up on 192.0.2.1.\n', 'hard', '5.1.1'],
      ['192.0.2.1 failed after I sent the message.\nRemote host said: 554 5.7.1 spam\n', 'soft', '5.7.1'],
      ['192.0.2.1 does not like recipient.\nRemote host said: 550 User unknown\nGiving up on 192.0.2.1.\n', 'hard', '5.0.0'],
      [`192.0.2.1 does not like recipient.\nRemote host said: 451 later\nGiving up on 192.0.2.1.\n${later}\n`, 'soft', '5.0.0'],
      [`Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)\n${later}\n`, 'soft', '4.4.1'],
      ['No words that tell anything.\n', 'soft', ''],
    ] as const) {
      for (const text of [qmail(`<A@b.c>:\n${said}`), qmail(`<A@b.c>:\n${said}`).replace(/\r?\n/g, '\r\n')]) {
        const report = await read(text);
        deepEqual([report?.kind, report?.code, report?.addresses], [kind, code, ['a@b.c']], said);
        ok(report?.diagnostic.startsWith(said.slice(0, 20)), report?.diagnostic);
      }
    }
    const two = await read(qmail('<a@b.c>:\nfull (#5.2.2)\n\n<d@b.c>:\ngone (#5.1.1)\n'));
    deepEqual([two?.kind, two?.addresses], ['hard', ['d@b.c']]);
    for (const none of ['', 'Away until Monday (#5.1.1)\n', '<a@b.c>\n']) equal(await read(qmail(none)), null);
    equal(await read(`${HEAD}\r\nHi. This is the holiday program.\r\n\r\n<a@b.c>:\r\nis away (#5.1.1)\r\n`), null);
  });

  it('hold nobody up, whatever strangers write into them', async () => {
    const part = (type: string, text: string) =>
      `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${text}`;
    for (const [what, text] of Object.entries({
      'lines that flow': part('text/plain; format=flowed; delsp=yes', '> \n'.repeat(MOST / 3)),
      'empty lines': part('message/delivery-status', '\n \n'.repeat(MOST / 3)),
      'lines that are no answers': part('message/delivery-status', `Action: delivered\r\n\r\n${'a: '.repeat(MOST / 3)}`),
      'paragraphs of qmail': `${HEAD}\r\nHi. This is the \n\n${'<a>:\n \n\n'.repeat(MOST / 8)}`,
      'ids that are not ours': `${HEAD}\r\n${'<1.1.aaaaaaaaaaaaaaaa@'.repeat(MOST / 22)}`,
      'a header of many lines': `${HEAD}X-Long: ${'a\r\n '.repeat(7000)}\r\n\r\n`,
      'a long header': `${HEAD}X-Long: ${'a\r\n '.repeat(MOST / 4)}\r\n\r\n`,
    })) {
      const began = process.cpuUsage();
      let longest = await longestTurnMs(async () => equal(await read(text), null));
      const { user, system } = process.cpuUsage(began);
      if (longest >= 150) longest = await everyTurnMs(150, async () => equal(await read(text), null));
      ok(longest < 150, `${what}: ${longest} ms in one turn`);
      ok((user + system) / 1000 < 5000, `${what}: ${(user + system) / 1000} ms in all`);
    }
  });

  it('are checked for what is ours, and read group by group, no further than ours go', async () => {
    const groups = 'Action: failed\nFinal-Recipient: x; a@b.\u00fc\n\n'.repeat(5_000);
    const dsn = `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${groups}`;
    for (const [what, text, to] of [
      ['addresses', `From: a@b.c\r\n\r\n${'bounce+1.1.abcdefghij@'.repeat(40_000)}`, ''],
      ['ids', `From: a@b.c\r\n\r\n${'<1.1.abcdefghijklmnop@'.repeat(40_000)}`, ''],
      ['groups', dsn, OURS],
    ] as const) {
      const raw = Buffer.from(text);
      const longest = await everyTurnMs(20, () => readBounceReport(raw, SECRET, to));
      ok(longest < 20, `${what}: ${longest} ms in one turn`);
    }
  });

  it('are looked through once, however many people they name', async () => {
    const report = (words: string) =>
      `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\r\n${words}\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${'Action: failed\n\n'.repeat(10_000)}\r\n--b--\r\n`;
    for (const words of ['a: \n'.repeat(16_000), '@'.repeat(64_000), ' '.repeat(64_000), 'a@b: '.repeat(12_000)]) {
      const longest = await longestTurnMs(async () => equal((await read(report(words)))?.kind, 'soft'));
      ok(longest < 1500, `${words.slice(0, 5)}: ${longest} ms in one turn`);
    }
  });
});
