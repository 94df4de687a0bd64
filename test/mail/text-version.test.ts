import { equal, ok } from 'node:assert/strict';
import { simpleParser } from 'mailparser';
import { compileMailing } from '../../mail/compile.ts';

const settings = { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 's3cret' };

/** The text of a mail that arrives, without the link at its end. */
async function textOf(html: string, person: Record<string, unknown> = {}): Promise<string> {
  const mailing = compileMailing(
    {
      mailingId: 7,
      subjects: ['x'],
      previewTexts: [],
      html,
      text: '',
      from: 'a@b.example',
      replyTo: '',
      wrapper: null,
      fields: {},
      language: '',
      pretendDate: null,
    },
    settings,
  );
  const { message } = mailing.render({ user_id: 1, position: 0, email: 'a@example.org', ...person });
  const { text = '' } = await simpleParser(Buffer.from(message, 'latin1'));
  return text.split('\n-- \n')[0]!.trimEnd();
}

describe('the text version made of HTML', () => {
  it('has the tags around a document, too', async () => {
    const choice = '{% if user.city == "Bonn" %}<html><body><p>A</p></body></html>{% else %}<html><body><p>B</p></body></html>{% endif %}';
    equal(await textOf(choice, { city: 'Bonn' }), 'A');
    equal(await textOf(choice, { city: 'Oslo' }), 'B');
    const named = `{% with name=user.first_name|default:"friend" %}
      <!DOCTYPE html><html><head><title>News</title><style>p { color: red }</style></head>
      <body>Hi {{ name }}</body></html>
      {% endwith %}`;
    equal(await textOf(named, { first_name: 'Ada' }), 'Hi Ada');
    equal(await textOf(named), 'Hi friend');
    equal(await textOf('<title>News</title><p>Hi</p>'), 'Hi');
    equal(await textOf('<html><head><title>News</title><body><p>Hi</p>'), 'Hi');
  });

  it('keeps the cells of a table apart, and its rows', async () => {
    const table = `<table><tr><th>Name</th><th>Votes</th></tr>{% for each in user.fields.names %}<tr><td>{{ each }}</td><td>12</td></tr>{% endfor %}</table>`;
    equal(await textOf(`<p>So far:</p>${table}`, { fields: { names: ['Ann', 'Bob'] } }), 'So far:\n\nName Votes\nAnn 12\nBob 12');
    const layout = `<table><tr><td><table><tr><td><p>Dear Ann,</p><p>please.</p></td></tr></table></td></tr>
      <tr><td><a href="https://a.example/yes">Yes</a></td><td><a href="https://a.example/no">No</a></td></tr></table>`;
    equal(await textOf(layout), 'Dear Ann,\n\nplease.\n\nYes (https://a.example/yes) No (https://a.example/no)');
  });

  it('has its lines where the HTML has them, whatever a loop puts in or a choice leaves out', async () => {
    const list = '<p>Sign:</p><ul>{% for each in user.fields.names %}<li>{{ each }}</li>{% endfor %}</ul><p>Thanks</p>';
    equal(await textOf(list, { fields: { names: ['a', 'b'] } }), 'Sign:\n\n * a\n * b\n\nThanks');
    const rows = '<table>{% for each in user.fields.names %}<tr><td>{{ each }}</td></tr>{% endfor %}</table><p>Thanks</p>';
    equal(await textOf(rows, { fields: { names: ['a', 'b'] } }), 'a\nb\n\nThanks');
    const choice = '{% if user.city %}{% if user.state %}<p>A</p>{% endif %}{% else %}<p>B</p>{% endif %}<p>C</p>';
    equal(await textOf(choice, { city: 'Bonn', state: 'NY' }), 'A\n\nC');
    equal(await textOf(choice), 'B\n\nC');
    const ending = '<ul>{% for each in user.fields.names %}<li>{{ each }}</li>{% endfor %}</ul>{% if user.city %}<p>C</p>{% endif %}';
    equal(await textOf(ending, { city: 'Bonn', fields: { names: ['a', 'b'] } }), ' * a\n * b\n\nC');
  });

  it('has the tags that stand in comments, where editors leave them alone, and nothing else of these', async () => {
    const choice = '<!-- {% if user.state == "MA" %} --><p>A</p><!--{% else %}--><p>B</p><!-- {% endif %} --><p>C</p>';
    equal(await textOf(choice, { state: 'MA' }), 'A\n\nC');
    equal(await textOf(choice, { state: 'NY' }), 'B\n\nC');
    const rows = '<table><!-- {% for each in user.fields.names %} --><tr><td>{{ each }}</td></tr><!-- {% endfor %} --></table>';
    equal(await textOf(rows, { fields: { names: ['a', 'b'] } }), 'a\nb');
    equal(
      await textOf('<!-- {{ user.city }} --><!--[if mso]>{% if user.city %}<p>Outlook</p>{% endif %}<![endif]--><p>C</p>', {
        city: 'Bonn',
      }),
      'C',
    );
  });

  it('has lists and quotations in each other, and is no longer than they are for it', async () => {
    equal(await textOf('<ul><li>a<ol start="7"><li>b<br>c</li></ol></li></ul>'), ' * a\n   7. b\n      c');
    equal(await textOf('<blockquote>a<blockquote>b</blockquote></blockquote>'), '> a\n> \n> > b');
    for (const open of ['<blockquote>', '<ul><li>', '<ol start="100000000000000000000"><li>']) {
      const { length } = await textOf(`${open.repeat(90)}<pre>${'a\n'.repeat(1000)}`);
      ok(length < 100_000, `${length} characters`);
    }
  });

  it('has numbers before what is in a list whatever it is to begin with', async () => {
    equal(await textOf('<ol type="I" start="4"><li>a<li>b</ol>'), ' IV. a\n V.  b');
    equal(await textOf('<ol type="i" start="10000"><li>a</ol>'), ' 10000. a');
    equal(await textOf('<ol start="1e308"><li>a</ol>'), ' 1. a');
  });
});
