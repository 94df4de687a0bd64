import assert from 'node:assert/strict';
import { simpleParser } from 'mailparser';
import { InputError } from '../../domain/errors.ts';
import { checkTemplates, compileMailing } from '../../mail/compile.ts';
import { type MailingContent, RenderError } from '../../mail/contracts.ts';

const settings = { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 's3cret' };
const content = (more: Partial<MailingContent> = {}): MailingContent => ({
  mailingId: 7,
  subjects: ['Hello {{ user.first_name|default:"friend" }}'],
  previewTexts: [],
  html: '<p>Dear {{ user.first_name|capfirst|default:"friend" }},</p><p>see <a href="{{ unsubscribe_link }}">here</a></p>',
  text: '',
  from: '"Käthe & Co" <news@campaign.example>',
  replyTo: '',
  wrapper: null,
  fields: {},
  language: '',
  pretendDate: null,
  ...more,
});
const ada = { user_id: 12, position: 0, email: 'ada@example.org', first_name: 'ada' };
const mail = (more: Partial<MailingContent> = {}, recipient: Record<string, unknown> = {}) =>
  compileMailing(content(more), settings).render({ ...ada, ...recipient });
const read = async (more: Partial<MailingContent> = {}, recipient: Record<string, unknown> = {}) =>
  simpleParser(Buffer.from(mail(more, recipient).message, 'latin1'));

describe('a compiled mailing', () => {
  it('says which columns of a user it needs', () => {
    assert.deepEqual(compileMailing(content(), settings).userColumns, ['first_name']);
    assert.equal(compileMailing(content({ html: '{{ user.fields.color }}' }), settings).needsFields, true);
  });

  it('renders a mail that a mail reader understands', async () => {
    const parsed = await read();
    assert.equal(parsed.subject, 'Hello ada');
    assert.equal(parsed.from?.text, '"Käthe & Co" <news@campaign.example>');
    assert.equal((parsed.to as { text: string }).text, 'ada@example.org');
    assert.match(String(parsed.html), /<p>Dear Ada,<\/p>/);
    assert.match(parsed.text ?? '', /^Dear Ada,/);
  });

  it('refuses templates that cannot be parsed, by field and with the line', () => {
    assert.throws(() => compileMailing(content({ html: '<p>\n{{ user.first_name|shout }}' }), settings), InputError);
    assert.deepEqual(checkTemplates({ html: '<p>\n{{ user.first_name|shout }}', subjects: ['{% if %}'] }), {
      html: ['line 2: there is no filter “shout”'],
      subjects: ['line 1: a value is missing'],
    });
  });

  it('skips a recipient whose address cannot be used', () => {
    for (const email of ['', 'ada', 'a b@example.org', 'a@b@example.org', '<a@example.org>', 'a\r\nBcc: x@example.org', 'a@ex\0mple.org']) {
      assert.throws(() => mail({}, { email }), RenderError, email);
    }
  });
});
