import assert from 'node:assert/strict';
import { simpleParser } from 'mailparser';
import { readAkid } from '../../domain/akid.ts';
import { InputError } from '../../domain/errors.ts';
import { checkTemplates, compileMailing, readBounceAddress, readReturnAddress } from '../../mail/compile.ts';
import { type MailingContent, type Recipient, RenderError } from '../../mail/contracts.ts';
import { processorMs } from '../support/processor-time.ts';

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
const ada: Recipient = { user_id: 12, position: 0, email: 'ada@example.org', first_name: 'ada' };
const mail = (more: Partial<MailingContent> = {}, recipient: Record<string, unknown> = {}) =>
  compileMailing(content(more), settings).render({ ...ada, ...recipient });
const read = async (more: Partial<MailingContent> = {}, recipient: Record<string, unknown> = {}) =>
  simpleParser(Buffer.from(mail(more, recipient).message, 'latin1'));
const header = (message: string, name: string) =>
  new RegExp(`^${name}:((?:.*\r\n[ \t])*.*)\r\n`, 'mi').exec(message.slice(0, message.indexOf('\r\n\r\n') + 2))?.[1]?.trim();

describe('a compiled mailing', () => {
  it('says what it needs of each recipient, and nothing else', () => {
    const needs = (more: Partial<MailingContent>) => {
      const { userColumns, needsFields } = compileMailing(content({ subjects: ['x'], html: 'x', ...more }), settings);
      return [userColumns, needsFields];
    };
    assert.deepEqual(needs({}), [[], false]);
    assert.deepEqual(needs({ html: '{% if user.state == "MA" %}{{ user.city|upper }}{% endif %}{{ user.email }}' }), [
      ['state', 'city'],
      false,
    ]);
    assert.deepEqual(needs({ subjects: ['{{ user.name }}'] }), [['first_name', 'last_name'], false]);
    assert.deepEqual(needs({ text: '{{ user.custom_fields.color }}{{ user.fields.size }}', html: '{{ user.fields.size }}' }), [
      [],
      ['size', 'color'],
    ]);
    assert.deepEqual(needs({ text: '{% for name, value in user.fields.items %}{{ value }}{% endfor %}{{ user.fields.size }}' }), [
      [],
      true,
    ]);
    assert.deepEqual(needs({ text: '{{ user.fields.size }}{% with all=user.fields %}{{ all.color }}{% endwith %}' }), [[], true]);
    assert.deepEqual(needs({ previewTexts: ['{{ user.zip }}'] }), [['zip'], false]);
  });

  it('makes a mail that a mail reader understands', async () => {
    const parsed = await read({ replyTo: 'answers@campaign.example', language: 'en' });
    assert.equal(parsed.subject, 'Hello ada');
    assert.equal(parsed.from?.text, '"Käthe & Co" <news@campaign.example>');
    assert.equal((parsed.to as { text: string }).text, 'ada@example.org');
    assert.equal(parsed.replyTo?.text, 'answers@campaign.example');
    assert.ok(Math.abs(parsed.date!.getTime() - Date.now()) < 5000);
    assert.match(String(parsed.html), /^<p>Dear Ada,<\/p>/);
    assert.match(parsed.text ?? '', /^Dear Ada,\n\nsee here \(https:/);
    assert.equal(parsed.headers.get('precedence'), 'bulk');
    assert.equal(parsed.headers.get('content-language'), 'en');
    assert.equal(parsed.headers.get('mime-version'), '1.0');
    assert.equal((parsed.headers.get('content-type') as { value: string }).value, 'multipart/alternative');
  });

  it('carries links and a bounce address that lead back to the person', () => {
    const { message, envelopeFrom, envelopeTo } = mail();
    const link = header(message, 'List-Unsubscribe')!;
    const [, akid, leave] =
      /^<https:\/\/campaign\.example\/unsubscribe\/\?akid=([\w.-]+)>,\s+<mailto:(\S+)@mail\.example\?subject=unsubscribe>$/.exec(link)!;
    assert.deepEqual(readReturnAddress('s3cret', leave!), { kind: 'unsubscribe', mailingId: 7, userId: 12 });
    assert.equal(readBounceAddress('s3cret', leave!), null);
    assert.deepEqual(readAkid('s3cret', akid!), { mailingId: 7, userId: 12 });
    assert.equal(header(message, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
    assert.match(header(message, 'List-Id')!, /^<mailings\.mail\.example>$/);
    const [local, domain] = envelopeFrom.split('@');
    assert.equal(domain, 'mail.example');
    assert.deepEqual(readBounceAddress('s3cret', local!), { mailingId: 7, userId: 12 });
    assert.deepEqual(readBounceAddress('s3cret', local!.toUpperCase()), { mailingId: 7, userId: 12 });
    assert.equal(readBounceAddress('other', local!), null);
    assert.equal(readBounceAddress('s3cret', local!.replace('7.12', '7.13')), null);
    assert.equal(envelopeTo, 'ada@example.org');
  });

  it('has the same Message-ID whenever the mail is made, and another for each person and mailing', () => {
    const id = (more = {}, recipient = {}) => header(mail(more, recipient).message, 'Message-ID')!;
    assert.match(id(), /^<7\.12\.[\w-]{16}@mail\.example>$/);
    assert.equal(id(), id({ html: 'other' }));
    assert.notEqual(id(), id({}, { user_id: 13 }));
    assert.notEqual(id(), id({ mailingId: 8 }));
  });

  it('puts preview text and footer where everybody sees them, and not into what is for Outlook alone', async () => {
    const html = '<!--[if mso]><body class="mso"><![endif]-->\n<body><p>Dear</p></body><!--[if mso]></body><![endif]-->';
    const written = String((await read({ html, previewTexts: ['Psst'] })).html);
    assert.match(written, /<body><div style="display:none[^>]*>Psst<\/div><p>Dear<\/p><p [^>]*><a [^>]*>Unsubscribe<\/a><\/p><\/body><!--/);
  });

  it('puts them into each document of a choice, once for everybody', async () => {
    const documents = (begin: string, between: string, end: string) =>
      `${begin}<html><body><p>A</p></body>\n</html>\n${between}<html><body><p>B</p></body></html>${end}`;
    const bodies = ['A', 'B'].map(
      (letter) =>
        new RegExp(`^\\s*<html><body><div [^>]*>Psst</div><p>${letter}</p><p [^>]*><a [^>]*>Unsubscribe</a></p></body>\\s*</html>\\s*$`),
    );
    for (const html of [
      documents('{% if user.state == "MA" %}', '{% else %}', '{% endif %}'),
      documents('{% if user.state == "MA" %}', '{% endif %}{% if user.state != "MA" %}', '{% endif %}'),
    ]) {
      for (const [n, state] of ['MA', 'NY'].entries()) {
        assert.match(String((await read({ html, previewTexts: ['Psst'] }, { state })).html), bodies[n]!);
      }
    }
    const bare = '{% if user.state == "MA" %}<html><body>A</body></html>{% else %}B{% endif %}';
    for (const state of ['MA', 'NY']) {
      assert.equal(String((await read({ html: bare }, { state })).html).match(/>Unsubscribe</g)?.length, 1, state);
    }
  });

  it('gives the subjects and their preview texts out in turn', async () => {
    const more = { subjects: ['one', 'two {{ user.first_name }}', 'three'], previewTexts: ['A & {{ user.first_name }}', 'B'] };
    for (const [position, subject, preview] of [
      [0, 'one', 'A &amp; ada'],
      [1, 'two ada', 'B'],
      [2, 'three', 'B'],
      [3, 'one', 'A &amp; ada'],
    ] as const) {
      const parsed = await read(more, { position });
      assert.equal(parsed.subject, subject);
      assert.ok(
        String(parsed.html).startsWith(`<div style="display:none;max-height:0;overflow:hidden">${preview}</div><p>`),
        String(parsed.html),
      );
      assert.doesNotMatch(parsed.text ?? '', /A &|^B/);
    }
  });

  it('escapes values in the HTML only', async () => {
    const nasty = '<b>"Bobby" & \'co\'';
    const parsed = await read({ text: '{{ user.first_name }} {{ user.first_name|escape }}' }, { first_name: nasty });
    assert.equal(parsed.subject, `Hello ${nasty}`);
    assert.match(String(parsed.html), /Dear &lt;b&gt;&quot;Bobby&quot; &amp; &#x27;co&#x27;,/);
    assert.ok(parsed.text?.startsWith(`${nasty} ${nasty}`));
  });

  it('shows custom fields, mailing fields, the akid and the subject', async () => {
    const html =
      '{{ user.fields.color }}|{{ user.fields.pets.1 }}|{{ user.fields.none }}|{{ mailing_fields.goal }}|{{ mailing.custom_fields.goal }}|{{ mailing.id }}|{{ mailing.subject }}|{{ akid }}|{{ user.token }}|{{ unsubscribe_link|urlencode }}|{{ now|date:"Y-m-d" }}';
    const parsed = await read(
      { html, subjects: ['Hi {{ user.first_name }}'], fields: { goal: '1000' }, pretendDate: '2030-02-03' },
      { fields: { color: 'red', pets: ['cat', 'dog'] } },
    );
    assert.match(
      String(parsed.html),
      /^red\|dog\|\|1000\|1000\|7\|Hi ada\|7\.12\.[\w-]{6}\|\.12\.[\w-]{6}\|https%3A\/\/campaign\.example\/unsubscribe\/%3Fakid%3D7\.12\.[\w-]{6}\|2030-02-03/,
    );
  });

  it('skips a recipient without a required value, with the reason', () => {
    const more = { html: '{% requires_value user.fields.color %}x' };
    assert.throws(() => mail(more, { fields: {} }), new RenderError('user.fields.color is missing'));
    assert.throws(() => mail(more), new RenderError('user.fields.color is missing'));
    assert.ok(mail(more, { fields: { color: 'red' } }));
    assert.ok(mail(), 'and the next one is not touched by what was begun');
  });

  it('skips a recipient whose address cannot be used', () => {
    for (const email of [
      '',
      'ada',
      '@example.org',
      'a b@example.org',
      'a@b@example.org',
      '<a@example.org>',
      'a\r\nBcc: x@example.org',
      'a@ex\0mple.org',
      'a@-x.example',
      `${'a'.repeat(65)}@example.org`,
      '"a b"@example.org',
      'a@[127.0.0.1]',
      'a,b@example.org',
      'a@example.org,b@example.org',
      '\u2028a@example.org',
      'a\ud800@example.org',
    ]) {
      assert.throws(() => mail({}, { email }), RenderError, JSON.stringify(email));
    }
    for (const email of [
      "o'brien+news@sub.example.org",
      'first..last@docomo.example',
      'UPPER@EXAMPLE.ORG',
      'x@localhost',
      'a/b=c@example.org',
    ]) {
      assert.equal(mail({}, { email }).envelopeTo, email);
    }
  });

  it('writes domains beyond ASCII in punycode, and local parts in UTF-8', async () => {
    assert.equal(mail({}, { email: 'žofie@müller.example' }).envelopeTo, 'žofie@xn--mller-kva.example');
    const parsed = await read({}, { email: 'žofie@müller.example' });
    assert.match((parsed.to as { text: string }).text, /žofie@/);
  });

  it('makes proofs whose links, id and bounce address are nobody’s', () => {
    const compiled = compileMailing(content(), settings);
    const proof = compiled.renderProof(ada, 'reviewer@example.org', '1');
    assert.equal(proof.envelopeTo, 'reviewer@example.org');
    assert.equal(header(proof.message, 'To'), 'reviewer@example.org');
    assert.match(proof.message, /Dear =\r\nAda/);
    for (const [akid] of proof.message.matchAll(/7\.12\.[\w-]+/g)) assert.equal(readAkid('s3cret', akid), null, akid);
    assert.equal(readBounceAddress('s3cret', proof.envelopeFrom.split('@')[0]!), null);
    const ids = [proof, compiled.renderProof(ada, 'reviewer@example.org', '2'), compiled.render(ada)].map(({ message }) =>
      header(message, 'Message-ID'),
    );
    assert.equal(new Set(ids).size, 3);
  });
});

describe('what stands around a mailing', () => {
  const wrapper = {
    template: '<html><body class="{{ user.state }}">\n<header>Us</header>\n{{ content }}\n<footer>Street 1</footer></body></html>',
    textTemplate: '',
    unsubscribeText: '',
    unsubscribeHtml: '',
  };
  const links = (text: string) => [...text.matchAll(/unsubscribe\/\?akid=7\.12\.[\w-]{6}/g)].length;

  it('is its wrapper, in both versions', async () => {
    const parsed = await read({ wrapper, previewTexts: ['Psst'] }, { state: 'MA' });
    assert.match(
      String(parsed.html),
      /^<html><body class="MA"><div style[^>]*>Psst<\/div>\n<header>Us<\/header>\n<p>Dear Ada,.*\n<footer>Street 1<\/footer><\/body><\/html>$/s,
    );
    assert.match(parsed.text ?? '', /^Us\n+Dear Ada,.*Street 1\s*$/s);
    const withText = await read({ wrapper: { ...wrapper, textTemplate: '*** {{ content }} ***' } }, { state: 'MA' });
    assert.match(withText.text ?? '', /^\*\*\* Dear Ada,.* \*\*\*\s*$/s);
  });

  it('is an unsubscribe link, exactly one in each version', async () => {
    for (const [name, more] of Object.entries({
      own: {},
      none: { html: '<p>x</p>' },
      'none, with a body': { html: '<html><body><p>x</p></body></html>' },
      'by hand': { html: '<a href="https://campaign.example/unsubscribe/?akid={{ akid }}">x</a>' },
      'only in a comment with dashes': { html: '<p>x</p>{%- comment -%}{{ unsubscribe_link }}{%- endcomment -%}' },
      'only in a comment': { html: '<p>x</p>{# {{ unsubscribe_link }} #}{% comment %}{{ unsubscribe_link }}{% endcomment %}' },
      'only in a comment of HTML': { html: '<p>x</p><!-- <a href="{{ unsubscribe_link }}">leave</a> --><!-->' },
      'for Outlook alone': { html: '<p>x</p><!--[if mso]><a href="{{ unsubscribe_link }}">leave</a><![endif]-->' },
      'for all but Outlook': { html: '<!--[if !mso]><!--><p><a href="{{ unsubscribe_link }}">leave</a></p><!--<![endif]-->' },
      'only in the text of a snippet': {
        html: '<p>x</p>{% include "foot" %}',
        snippets: { foot: { html: '<p>Us</p>', text: 'leave: {{ unsubscribe_link }}' } },
      },
      'only in the HTML of a snippet': {
        html: '<p>x</p>{% include "foot" %}',
        snippets: { foot: { html: '<a href="{{ unsubscribe_link }}">leave</a>', text: 'Us' } },
      },
      'in a snippet': {
        html: '{% include "foot" %}',
        snippets: { foot: { html: '<a href="{{ unsubscribe_link }}">leave</a>', text: '' } },
      },
      'for some, who are others': { html: '<p>x</p>{% if user.state == "NY" %}<a href="{{ unsubscribe_link }}">leave</a>{% endif %}' },
      'for some, who are these': { html: '{% if user.state == "MA" %}<a href="{{ unsubscribe_link }}">leave</a>{% endif %}<p>x</p>' },
      'by the language, of which there is another': {
        html: '<html><body>{% if user.state == "QC" %}<a href="{{ unsubscribe_url|safe }}">fin</a>{% elif user.state == "NY" %}{% include "foot" %}{% endif %}</body></html>',
        snippets: { foot: { html: '<a href="{{ unsubscribe_link }}">leave</a>', text: '' } },
      },
      'in a wrapper, for others': {
        html: '<p>x</p>',
        wrapper: { ...wrapper, template: '{{ content }}{% if user.state == "NY" %}<a href="{{ unsubscribe_link }}">leave</a>{% endif %}' },
      },
      'in the text only': { html: '<p>x</p>', text: 'leave: {{ unsubscribe_url }}' },
      'in the wrapper': { html: '<p>x</p>', wrapper: { ...wrapper, template: '{{ content }}<a href="{{ unsubscribe_link }}">leave</a>' } },
      'what the wrapper says': {
        html: '<p>x</p>',
        wrapper: { ...wrapper, unsubscribeHtml: '<p>Enough? <a href="{{ unsubscribe_link }}">leave</a></p>' },
      },
      'what the wrapper says to others': {
        html: '<p>x</p>',
        wrapper: { ...wrapper, unsubscribeHtml: '{% if user.state == "QC" %}<a href="{{ unsubscribe_link }}">fin</a>{% endif %}' },
      },
      'what the wrapper says to these, and the mailing to others': {
        html: '<p>x</p>{% if user.state == "NY" %}<a href="{{ unsubscribe_link }}">leave</a>{% endif %}',
        wrapper: { ...wrapper, unsubscribeHtml: '{% if user.state == "MA" %}<a href="{{ unsubscribe_link }}">leave</a>{% endif %}' },
      },
      'what the wrapper says to others, and one in a comment of HTML': {
        html: '<p>x</p><!-- <a href="{{ unsubscribe_link }}">leave</a> -->',
        text: 'x',
        wrapper: { ...wrapper, unsubscribeHtml: '{% if user.state == "QC" %}<a href="{{ unsubscribe_link }}">fin</a>{% endif %}' },
      },
      'what the wrapper says, in a snippet': {
        html: '<p>x</p>',
        wrapper: { ...wrapper, unsubscribeHtml: '{% include "foot" %}' },
        snippets: { foot: { html: '<a href="{{ unsubscribe_link }}">leave</a>', text: '' } },
      },
      'what the wrapper says, without a link': {
        html: '<p>x</p>',
        wrapper: { ...wrapper, unsubscribeHtml: '<p>Enough?</p>', unsubscribeText: 'Enough?' },
      },
    } as Record<string, Partial<MailingContent>>)) {
      const parsed = await read(more, { state: 'MA' });
      assert.equal(links(String(parsed.html).replace(/<!--.*?-->/gs, '')), 1, `HTML, ${name}: ${parsed.html}`);
      assert.equal(links(parsed.text ?? ''), 1, `text, ${name}: ${parsed.text}`);
    }
    const inBody = await read({ html: '<html><body><p>x</p></body></html>' });
    assert.match(String(inBody.html), /Unsubscribe<\/a><\/p><\/body><\/html>$/);
    // Capitals that are longer in lower case, of which Turkish has one.
    const inTurkish = await read({ html: '<html><BODY><p>İyi günler İzmir, İstanbul</p></BODY></html>' });
    assert.match(String(inTurkish.html), /İstanbul<\/p><p[^<>]*><a[^<>]*>Unsubscribe<\/a><\/p><\/BODY><\/html>$/);
  });
});

describe('the check of templates when they are saved', () => {
  it('names the field and the line', () => {
    assert.deepEqual(checkTemplates({ html: '<p>\n{{ user.first_name|shout }}', subjects: ['{% if %}'] }), {
      html: ['line 2, column 1, at “{{ user.first_name|shout }}”: there is no filter “shout”'],
      subjects: ['line 1, column 1, at “{% if %}”: a value is missing'],
    });
    assert.deepEqual(checkTemplates({ subjects: ['fine', '\n{{'] }), {
      subjects: ['subject 2, line 2, column 1, at “{{”: {{ is not closed with }}'],
    });
    assert.deepEqual(Object.keys(checkTemplates({ text: '{{', previewTexts: ['{{'], html: '{{' })), ['preview_text', 'html', 'text']);
    assert.throws(() => compileMailing(content({ html: '<p>\n{{ user.first_name|shout }}' }), settings), InputError);
  });

  it('knows misspelt names, and what may be meant', () => {
    assert.match(checkTemplates({ html: '{{ user.frist_name }}' }).html![0]!, /a user has no “frist_name”; there are .*first_name/);
    assert.match(checkTemplates({ html: '{{ first_name }}' }).html![0]!, /there is no “first_name”; user.first_name may be meant/);
    assert.match(checkTemplates({ html: '{{ content }}' }).html![0]!, /there is no “content”/);
    assert.match(checkTemplates({ html: '{{ user }}' }).html![0]!, /say what of the user/);
    assert.match(checkTemplates({ html: '{{ mailing.secret }}' }).html![0]!, /of a mailing there are/);
    assert.deepEqual(checkTemplates({ html: '{{ user.fields.anything }}{{ user.fields }}{{ mailing_fields.x }}' }), {});
  });

  it('wants a place for the content in a wrapper', () => {
    const wrapper = { template: 'x', textTemplate: 'y', unsubscribeHtml: '{{', unsubscribeText: '' };
    assert.deepEqual(checkTemplates({ wrapper: { ...wrapper, unsubscribeHtml: '' } }), {
      emailwrapper: ['the template has no {{ content }} place', 'the text template has no {{ content }} place'],
    });
    for (const template of ['{# {{ content }} #}', '{% comment %}{{ content }}{% endcomment %}', '<body><!-- {{ content }} --></body>']) {
      assert.deepEqual(
        checkTemplates({ html: '<p>x</p>', wrapper: { ...wrapper, template, textTemplate: '', unsubscribeHtml: '' } }),
        { emailwrapper: ['the template has no {{ content }} place'] },
        template,
      );
    }
    assert.match(
      checkTemplates({ wrapper: { ...wrapper, template: '{{ content }}', textTemplate: '' } }).emailwrapper!.join(),
      /^line 1, column \d+, at “.*”: .* is not closed with .*$/,
    );
  });

  it('wants usable senders', () => {
    for (const from of [
      'nobody',
      'a@b.example\r\nBcc: c@d.example',
      '"x" <a b@c.example>',
      '<>',
      '',
      'a@b.example, c@d.example',
      '"žofie" <žofie@example.org>',
    ]) {
      assert.deepEqual(Object.keys(checkTemplates({ from })), ['fromline'], from);
    }
    for (const from of [
      'a@b.example',
      'Ann <a@b.example>',
      '"Ann, \\"the\\" best" <a@b.example>',
      '<a@b.example>',
      'Žofie <a@b.example>',
    ]) {
      assert.deepEqual(checkTemplates({ from, replyTo: from }), {}, from);
    }
    assert.deepEqual(Object.keys(checkTemplates({ replyTo: 'nobody' })), ['reply_to']);
  });

  it('takes no text made of endless HTML, and is done soon with any', () => {
    assert.match(checkTemplates({ html: '<p>words</p>'.repeat(30_000) }).html![0]!, /cannot be made from more than/);
    assert.deepEqual(checkTemplates({ html: '<p>words</p>'.repeat(30_000), text: 'words' }), {});
    assert.deepEqual(checkTemplates({ html: `<img src="data:image/png;base64,${'A'.repeat(400_000)}">` }), {});
    for (const piece of [
      '<div>',
      '<body ',
      '<table><tr><td>',
      '{% comment %}',
      '{% if akid %}',
      '{{',
      '&amp;',
      '{# ',
      "<a href='unsubscribe",
    ]) {
      assert.ok(processorMs(() => checkTemplates({ html: piece.repeat(Math.floor(100_000 / piece.length)) })) < 3000, piece);
    }
  });
});
