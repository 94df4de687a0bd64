import { deepEqual, equal, ok } from 'node:assert/strict';
import { akidDigest } from '../../domain/akid.ts';
import { readBounceReport } from '../../mail/bounce-report.ts';
import { longestTurnMs } from '../support/processor-time.ts';

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

  it('hold nobody up, whatever strangers write into them', async () => {
    const part = (type: string, text: string) =>
      `${HEAD}Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${text}`;
    for (const [what, text] of Object.entries({
      'lines that flow': part('text/plain; format=flowed; delsp=yes', '> \n'.repeat(MOST / 3)),
      'empty lines': part('message/delivery-status', '\n \n'.repeat(MOST / 3)),
      'ids that are not ours': `${HEAD}\r\n${'<1.1.aaaaaaaaaaaaaaaa@'.repeat(MOST / 22)}`,
      'a header of many lines': `${HEAD}X-Long: ${'a\r\n '.repeat(7000)}\r\n\r\n`,
      'a long header': `${HEAD}X-Long: ${'a\r\n '.repeat(MOST / 4)}\r\n\r\n`,
    })) {
      const began = process.cpuUsage();
      const longest = await longestTurnMs(async () => equal(await read(text), null));
      const { user, system } = process.cpuUsage(began);
      ok(longest < 150, `${what}: ${longest} ms in one turn`);
      ok((user + system) / 1000 < 5000, `${what}: ${(user + system) / 1000} ms in all`);
    }
  });
});
