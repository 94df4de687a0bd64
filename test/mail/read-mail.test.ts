import assert from 'node:assert/strict';
import { compileMailing } from '../../mail/compile.ts';
import { readMail } from '../../mail/read-mail.ts';
import { everyTurnMs } from '../support/processor-time.ts';

const compiled = compileMailing(
  {
    mailingId: 7,
    subjects: ['Hello {{ user.first_name }}'],
    previewTexts: [],
    html: '<p>{{ user.first_name }}</p>',
    text: 'Dear {{ user.first_name }}',
    from: '"Käthe" <news@campaign.example>',
    replyTo: '',
    wrapper: null,
    fields: {},
    language: '',
    pretendDate: null,
  },
  { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 's3cret' },
);
const mailTo = (first_name: string) =>
  Buffer.from(compiled.render({ user_id: 12, position: 0, email: 'ada@example.org', first_name }).message, 'latin1');

describe('a mail as its reader sees it', () => {
  it('has its subject, sender and both bodies, however the header is folded', async () => {
    for (const name of ['Ada', 'Žluťoučký kůň '.repeat(30).trim(), 'word '.repeat(60).trim(), '😀'.repeat(300)]) {
      const { subject, from, html, text } = await readMail(mailTo(name));
      assert.equal(subject, `Hello ${name}`);
      assert.equal(from?.text, '"Käthe" <news@campaign.example>');
      assert.ok(String(html).includes(`<p>${name}</p>`), String(html));
      assert.ok(text?.includes(`Dear ${name}`), text);
    }
  });

  it('holds nobody up, whatever a stranger is called', async () => {
    await readMail(mailTo('the first one is slow'));
    for (const letters of ['x@x.com,', 'http://a.b ', '😀', 'a', '\n', '<div>', '=?utf-8?q?x?= ']) {
      const mail = mailTo(letters.repeat(64_000 / letters.length));
      const ms = await everyTurnMs(150, () => readMail(mail));
      assert.ok(ms < 150, `${Math.round(ms)} ms for ${JSON.stringify(letters)}`);
    }
  });
});
