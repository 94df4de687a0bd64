import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readContent } from '../../../core/sending/content.ts';
import { recipientColumns } from '../../../core/sending/recipient-columns.ts';
import { compileMailing } from '../../../mail/compile.ts';
import { type Recipient, RenderError } from '../../../mail/contracts.ts';
import { FILTERS } from '../../../template/filters.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { processorMs } from '../../support/processor-time.ts';

const GOOD =
  `user.first_name user.email user.name user.id user.created_at user.fields.secret user.fields.pets user.fields user.fields.pets.1 user.location.us_county
  mailing.id mailing.subject mailing_fields.form akid now unsubscribe_link row.color x x.0 g g.0 "text" '<b>' 3 -1 None True ""`.split(
    /\s+/,
  );
const BAD = 'user.__proto__ user.constructor constructor process user nosuch 1/0 user.planet forloop.counter 1e9 user.fields["a'.split(' ');
const mostly = <Value>(good: fc.Arbitrary<Value>, bad: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 60, arbitrary: good }, { weight: 1, arbitrary: bad });
const value = mostly(fc.constantFrom(...GOOD), fc.constantFrom(...BAD));
const argument = fc.oneof(
  fc.constantFrom(...GOOD),
  fc.constantFrom('"days=99999999"', '":"', '"-5:"', '"Y-m-d"', '"99999"', '9999999999', '"a,b,c"'),
);
const filter = mostly(
  fc.tuple(fc.constantFrom(...FILTERS), argument, fc.boolean()).map(([[name, { argument: takes }], given, wanted]) => {
    return takes === 'required' || (takes === 'optional' && wanted) ? `${name}:${given}` : name;
  }),
  fc.constantFrom('nosuch', 'upper:1', 'add', ''),
);
const expression = fc.tuple(value, fc.array(filter, { maxLength: 3 })).map(([of, filters]) => [of, ...filters].join('|'));
const condition = fc
  .array(
    fc.tuple(
      fc.constantFrom('', 'not '),
      expression,
      fc.constantFrom('', ' == 1', ' in user.fields.pets', ' is None', ' > "a"', ' not in "abc"'),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.map((part) => part.join('')).join(' and '));
const noise = mostly(
  fc.oneof(
    fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[{\u0000]/g, '(')),
    fc.constantFrom(
      '}}',
      '%}',
      '</body>',
      '💥',
      '\r\n.\r\n',
      '\rFrom x\n',
      '<a href="https://a.example/?a={{ akid }}">a</a>',
      '<body>',
      '{# a #}',
    ),
  ),
  fc.constantFrom('{{', '{%', '{#', '{% endif %}', '{% raw %}', '\u0000', '\ud800', '{% block %}'),
);

const { template } = fc.letrec<{ template: string; piece: string }>((tie) => ({
  template: fc.array(tie('piece'), { maxLength: 5 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    noise,
    expression.map((of) => `{{ ${of} }}`),
    fc.tuple(condition, tie('template'), tie('template')).map(([test, yes, no]) => `{% if ${test} %}${yes}{% else %}${no}{% endif %}`),
    fc.tuple(expression, tie('template')).map(([of, body]) => `{% for x in ${of} %}${body}{% endfor %}`),
    fc.tuple(expression, tie('template')).map(([of, body]) => `{% with x=${of} %}${body}{% endwith %}`),
    fc
      .tuple(expression, mostly(fc.constantFrom('bit', 'twice'), fc.constant('nosuch')))
      .map(([of, name]) => `{% include "${name}" with x=${of} %}`),
    mostly(
      fc.constantFrom(
        '{% now "Y" %}',
        '{% firstof x user.email "a" %}',
        '{% requires_value user.first_name %}',
        '{% once %}a{% endonce %}',
        '{% load x %}',
      ),
      fc.constantFrom('{% report "nosuch" %}', '{% now %}'),
    ),
  ),
})); // prettier-ignore

/** So that x is a name wherever it stands, and g a long text: of members, of letters of a format, or of one letter nearly. */
const within = (source: string, letters: string) =>
  `{% with x=user.fields.pets g="${letters.repeat(16_000 / letters.length)}" %}${'{% with g=g|add:g %}'.repeat(5)}${source}${'{% endwith %}'.repeat(6)}`;
const letters = fc.constantFrom(',', 'r', 'a', `${'a'.repeat(499)}b`, '<', ' ');

/** What one person's mail may take to be made; nearly all take well under a millisecond. */
const LONGEST_MS = 2000;

describe('whatever templates people write', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [
      { id: 1, email: 'first-person@example.org', lists: [1] },
      { id: 2, email: 'second-person@example.org', lists: [1] },
    ]);
    await api.call('PATCH', '/rest/v1/user/1/', {
      first_name: 'FIRSTNAME',
      fields: { secret: 'FIRSTSECRET', pets: ['cat', '<dog>', 'x'.repeat(5000)] },
    });
    await api.call('PATCH', '/rest/v1/user/2/', { first_name: '', fields: { secret: 'SECONDSECRET' } });
    await api.create('snippet', { name: 'bit', html: '<i>{{ x }}</i>' });
    await api.create('snippet', {
      name: 'twice',
      html: '{% include "bit" with x=x %}{% for y in x %}{% include "bit" with x=y %}{% endfor %}',
    });
  });
  after(() => api.close());

  it('are taken or refused with a line, never an internal error; no mail hangs, none tells of another person', async () => {
    let [taken, made, skipped] = [0, 0, 0];
    const uri = await api.create('mailer', READY);
    await fc.assert(
      fc.asyncProperty(template, template, fc.option(template), letters, async (html, subject, text, long) => {
        const body = {
          html: within(html, long),
          subjects: [`s${within(subject, long).replace(/\p{Cc}/gu, '')}`],
          text: text === null ? '' : within(text, long),
        };
        const answer = await api.call('PATCH', uri, JSON.stringify(body), { 'content-type': 'application/json' });
        if (answer.statusCode === 400) {
          const messages = Object.values(answer.json().errors as Record<string, string[]>).flat();
          assert.ok(messages.length && messages.every((message) => message.length < 2000), answer.body);
          return;
        }
        assert.equal(answer.statusCode, 202, answer.body);
        taken++;
        const { content } = await readContent(api.pool, idIn(uri), 'a@example.org');
        const mail = compileMailing(
          { ...content, mergefile: { id: 1, columns: ['color'] } },
          { baseUrl: 'http://x.test', mailDomain: 'x.test', secretKey: 's' },
        );
        const { rows } = await api.pool.query<Recipient>(
          `select u.id as user_id, 0 as position, u.email${recipientColumns(mail)} from core_user u where u.id in (1, 2) order by u.id`,
        );
        // The same compiled mailing makes one person's mail after the other's, again and again.
        for (const recipient of [rows[0]!, rows[1]!, rows[0]!]) {
          let message = '';
          const ms = processorMs(() => {
            try {
              ({ message } = mail.render(recipient));
              made++;
            } catch (error) {
              assert.ok(error instanceof RenderError, String(error));
              skipped++;
            }
          });
          assert.ok(ms < LONGEST_MS, `${ms} ms for ${html}`);
          const whole = message.replaceAll('=\r\n', '');
          const other = recipient.user_id === 1 ? /second-person|SECONDSECRET/i : /first-person|FIRSTSECRET|FIRSTNAME/i;
          assert.ok(!other.test(whole), `${html}\n${whole}`);
          assert.ok(!/^\.\r?$/m.test(message) && !/[^\r]\n/.test(message));
          assert.ok(
            !/\[native code\]|function |\[object /.test(whole.replace(html, '')) || /function |\[object /.test(html + subject + text),
            whole,
          );
        }
      }),
      { seed: 7, numRuns: 800 },
    );
    assert.ok(taken >= 100 && made >= 200 && skipped >= 10, `${taken} taken, ${made} made, ${skipped} skipped`);
  });
});
