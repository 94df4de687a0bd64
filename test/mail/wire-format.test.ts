import assert from 'node:assert/strict';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { ByteSink } from '../../mail/byte-sink.ts';
import { compileMailing } from '../../mail/compile.ts';
import type { MailingContent } from '../../mail/contracts.ts';
import { encodedWords, mailboxHeader, oneLine, textHeader } from '../../mail/headers.ts';
import { quotedHtml, quotedPrintable, quotedText } from '../../mail/quoted-printable.ts';
import { anyString } from '../support/any-string.ts';
import { Opened } from '../support/relay.ts';

const settings = { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 's3cret' };
const content: MailingContent = {
  mailingId: 7,
  subjects: ['{{ user.first_name }}'],
  previewTexts: [],
  html: '<p>{{ user.first_name|safe }}</p>{{ unsubscribe_link }}',
  text: '{{ user.first_name }}\n{{ unsubscribe_link }}',
  from: 'a@b.example',
  replyTo: '',
  wrapper: null,
  fields: {},
  language: '',
  pretendDate: null,
};

/** Text of every kind: control characters, dots and From at the beginning of lines, emoji, lone surrogates, long runs. */
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  anyString(),
  fc
    .array(
      fc.constantFrom(
        '.',
        '..',
        'From ',
        '=',
        '=?',
        '?=',
        ' ',
        '\t',
        '\r',
        '\n',
        '\r\n',
        '\r\n.\r\n',
        '\0',
        'é',
        '😀',
        '\ud800',
        '\udc00',
        '<',
        '&',
        'x',
        'x'.repeat(80),
        '\u2028',
        'עברית',
        'e\u0301',
        'Bcc: x@y',
      ),
    )
    .map((parts) => parts.join('')),
);

const decodeQuoted = (encoded: string) =>
  Buffer.from(
    encoded.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const unixLines = (text: string) => text.toWellFormed().replace(/\r\n|\r/g, '\n');

/** Everything a message has to be, whatever is in it. */
function assertFitForTheWire(message: string): void {
  assert.match(message, /^[\t\r\n -~]*$/, 'ASCII');
  assert.doesNotMatch(message, /[^\r]\n|\r[^\n]/, 'lines end in CRLF');
  assert.ok(message.endsWith('\r\n'));
  for (const line of message.split('\r\n')) {
    assert.ok(line.length <= 200, `long line: ${line}`);
    assert.ok(!line.startsWith('.'), `a line with a dot: ${line}`);
    assert.ok(!line.startsWith('From '));
  }
}

describe('quoted-printable', () => {
  it('gives back what was put in, in short lines without dots at their beginning', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const encoded = quotedPrintable(text);
        assert.equal(decodeQuoted(encoded).replaceAll('\r\n', '\n'), unixLines(text));
        assert.ok(encoded === '' || encoded.endsWith('\r\n'), 'leaves the line');
        for (const line of encoded.split('\r\n')) {
          assert.ok(line.length <= 76 && /^[\t -~]*$/.test(line) && !/^\.|^From |[\t ]$/.test(line), JSON.stringify(line));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('encodes values on the way exactly as text is encoded beforehand', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), anyText)), (parts) => {
        const [sink, expected] = [new ByteSink(), [] as string[]];
        for (const [literal, text] of parts) {
          if (literal) quotedText.literal(text)(sink);
          else quotedText.value(sink, text);
          expected.push(unixLines(text));
        }
        assert.equal(decodeQuoted(sink.toString()).replaceAll('\r\n', '\n'), expected.join(''));
      }),
    );
  });

  it('escapes values for HTML, and markup not', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const sink = new ByteSink();
        quotedHtml.value(sink, text);
        const shown = decodeQuoted(sink.toString());
        assert.doesNotMatch(shown, /[<>"']|&(?!(amp|lt|gt|quot|#x27);)/);
        const back = shown.replace(
          /&(amp|lt|gt|quot|#x27);/g,
          (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" })[name]!,
        );
        assert.equal(back.replaceAll('\r\n', '\n'), unixLines(text));
      }),
    );
  });
});

describe('headers', () => {
  it('stay one header whatever is put in, and say the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const header = textHeader('Subject', text);
        assertFitForTheWire(header);
        assert.doesNotMatch(header.slice(0, -2), /\r\n(?! )/, 'only folded lines');
        for (const line of header.split('\r\n')) if (line.includes('=?')) assert.ok(line.length <= 76, line);
        const parsed = await simpleParser(`${header}\r\n`);
        assert.deepEqual(
          [...parsed.headers.keys()].filter((key) => key !== 'subject'),
          [],
        );
        assert.equal(parsed.subject ?? '', oneLine(text).replace(/\ufeff/g, ''), JSON.stringify(header));
      }),
      { numRuns: 500 },
    );
  });

  it('hold names of every kind', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const header = mailboxHeader('From', { name, address: 'a@b.example' });
        assertFitForTheWire(header);
        assert.doesNotMatch(header.slice(0, -2), /\r\n(?! )/);
        assert.ok(header.endsWith('<a@b.example>\r\n') || header === 'From: a@b.example\r\n', header);
      }),
    );
  });

  it('keep characters whole in encoded words', () => {
    const words = encodedWords('😀é'.repeat(40), 9).split('\r\n ');
    assert.ok(words.length > 1);
    for (const word of words) assert.doesNotMatch(Buffer.from(word.slice(10, -2), 'base64').toString(), /\ufffd/);
  });
});

describe('a message', () => {
  const compiled = compileMailing(content, settings);
  const readBack = (message: string) => simpleParser(Buffer.from(message, 'latin1'));
  const render = (first_name: string) => compiled.render({ user_id: 1, position: 0, email: 'a@example.org', first_name }).message;

  it('is fit for the wire and has no header more, whatever a person is called', async () => {
    const usual = [...(await readBack(render('x'))).headers.keys()];
    await fc.assert(
      fc.asyncProperty(anyText, async (name) => {
        const message = render(name);
        assertFitForTheWire(message);
        const keys = [...(await readBack(message)).headers.keys()];
        assert.deepEqual(
          keys.filter((key) => !usual.includes(key)),
          [],
        );
        assert.equal(message.match(/^--=_7\r$/gm)?.length, 2, 'two parts');
      }),
      { numRuns: 300 },
    );
  });

  const texts = {
    'more bytes than characters': 'Žluťoučký kůň, 日本語, Ελληνικά',
    emoji: '👩‍👩‍👧‍👦🏳️‍🌈 ☎️',
    'right to left': 'שלום עולם مرحبا',
    'ten thousand characters without a space': 'x'.repeat(10_000),
    'ten thousand bytes beyond ASCII': 'é'.repeat(5_000),
    'lines of dots': '.\n..\n...\n.\r\n.\r\nQUIT',
    'spaces at the ends of lines': 'a  \nb\t\n c',
    'equals signs': 'a=b =C3=A9 =?UTF-8?Q?x?=',
    boundaries: '--=_7\n--=_7--\n',
    'sixty thousand characters': 'All the words of a long letter. '.repeat(2000),
  };
  for (const [what, text] of Object.entries(texts)) {
    it(`with ${what} comes through, as template and as value, over a relay`, async () => {
      const opened = new Opened();
      try {
        const sink = await opened.sink();
        const mailing = compileMailing(
          { ...content, html: `<pre>${text}</pre>${content.html}`, text: `${text}|${content.text}` },
          settings,
        );
        const mail = mailing.render({ user_id: 1, position: 0, email: 'a@example.org', first_name: text });
        assertFitForTheWire(mail.message);
        assert.deepEqual((await opened.relay(sink.url).send(mail)).kind, 'accepted');
        const parsed = await simpleParser(sink.inbox.list()[0]!.content);
        const expected = unixLines(text);
        assert.ok(String(parsed.html).startsWith(`<pre>${expected}</pre><p>${expected}</p>https://`), String(parsed.html).slice(0, 200));
        assert.ok(parsed.text?.startsWith(`${expected}|${expected}\nhttps://`), parsed.text?.slice(0, 200));
      } finally {
        await opened.end();
      }
    });
  }

  it('replaces half characters', async () => {
    const parsed = await readBack(render('a\ud800b'));
    assert.match(String(parsed.html), /a\ufffdb/);
    assert.equal(parsed.subject, 'a\ufffdb');
  });
});
