import assert from 'node:assert/strict';
import { simpleParser } from 'mailparser';
import { composeReportMail } from '../../core/reports/report-mail.ts';
import { composePlainMail } from '../../mail/plain-mail.ts';

describe('a plain mail', () => {
  const mail = { from: 'us@example.org', subject: 'x', messageId: 'x@example.org', text: 'x' };
  const read = (message: string) => simpleParser(Buffer.from(message, 'latin1'));

  it('goes to the punycode of a domain beyond ASCII, as mailings do: hardly a relay takes another', async () => {
    const { envelopeTo, message } = await composePlainMail({ ...mail, to: 'ann@bücher.example' }, 'example.org');
    assert.equal(envelopeTo, 'ann@xn--bcher-kva.example');
    assert.match(message, /^To: ann@xn--bcher-kva\.example\r$/m);
    const local = await composePlainMail({ ...mail, to: 'käthe@example.org' }, 'example.org');
    assert.equal(local.envelopeTo, 'käthe@example.org');
  });

  it('that brings a report says truly why nothing is attached', async () => {
    const env = { BASE_URL: 'https://example.org', MAIL_DOMAIN: 'example.org', DEFAULT_FROM: 'us@example.org' };
    const report = { jobId: 1, name: '1-1', index: 0, short_name: 'r', format: 'csv', email: 'ann@example.org', rows: 2 };
    const { text } = await read((await composeReportMail(report, null, env)).message);
    assert.match(
      text ?? '',
      /^The result could not be attached: its file is not where the worker looks that wrote this mail \(REPORT_FILES\)\. It has 2 rows, /,
    );
    const of = async (rows: number) => (await read((await composeReportMail({ ...report, rows }, null, env)).message)).text ?? '';
    assert.match(await of(1), / It has 1 row, /);
    assert.match(await of(12_345), / It has 12,345 rows, /);
  });
});
