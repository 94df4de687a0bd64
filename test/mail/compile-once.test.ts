import assert from 'node:assert/strict';
import { newsletter } from '../../bench/support/newsletter.ts';
import { compileOnce } from '../../mail/compile-once.ts';

describe('mails made one at a time', () => {
  const settings = { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 'test' };

  it('are compiled once for each content and setting, not once for each mail', () => {
    const first = compileOnce(newsletter, settings);
    assert.equal(compileOnce(structuredClone(newsletter), settings), first);
    assert.notEqual(compileOnce({ ...newsletter, html: `${newsletter.html}.` }, settings), first);
    assert.notEqual(compileOnce(newsletter, { ...settings, secretKey: 'other' }), first);
  });

  it('leave the memory when many others were compiled since', () => {
    const first = compileOnce(newsletter, settings);
    for (let n = 0; n < 30; n++) compileOnce({ ...newsletter, text: `${n}${'x'.repeat(200_000)}` }, settings);
    assert.notEqual(compileOnce(newsletter, settings), first);
  });

  it('leave it as well when these were short: each takes a hundred kilobytes, however little it says', () => {
    const short = { ...newsletter, html: '<p>Hello</p>', text: '', wrapper: null };
    const first = compileOnce(short, settings);
    for (let n = 0; n < 250; n++) compileOnce({ ...short, html: `<p>Hello ${n}</p>` }, settings);
    assert.notEqual(compileOnce(short, settings), first);
  });
});
