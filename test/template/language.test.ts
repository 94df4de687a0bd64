import assert from 'node:assert/strict';
import { RenderError, TemplateError } from '../../template/errors.ts';
import { htmlText, plainText } from '../../template/output.ts';
import { objectNames } from '../../template/scope.ts';
import { compileTemplate, renderText } from '../../template/template.ts';
import { processorMs } from '../support/processor-time.ts';

type Values = Record<string, unknown>;
const compile = (source: string, snippets: Record<string, string> = {}) =>
  compileTemplate<Values, never>(source, {
    names: objectNames,
    output: htmlText as never,
    snippet: (name) => (Object.hasOwn(snippets, name) ? snippets[name]! : null),
  });
const render = (source: string, values: Values = {}, snippets: Record<string, string> = {}) =>
  renderText(compile(source, snippets) as never, values);
const inText = (source: string, values: Values = {}) =>
  renderText(compileTemplate(source, { names: objectNames, output: plainText }), values);
const refused = (source: string, line: number, message: RegExp, snippets: Record<string, string> = {}) =>
  assert.throws(
    () => compile(source, snippets),
    (error: TemplateError) => {
      assert.ok(error instanceof TemplateError, String(error));
      assert.match(error.message, message);
      assert.equal(error.line, line, error.message);
      return true;
    },
    source,
  );

describe('the template language', () => {
  it('refuses what it does not know, with the line', () => {
    refused('a\n\n{{ x|shout }}', 3, /no filter “shout”/);
    refused('{% if x %}\n{{ x|\n}}{% endif %}', 2, /name of a filter/);
    refused('a\n{% block x %}', 2, /no tag {% block %}/);
    refused('\n{% extends "x" %}', 2, /no tag/);
    refused('{% render "x" %}', 1, /no tag/);
    refused('{% assign x = 1 %}', 1, /no tag/);
    refused('{% liquid\n echo x %}', 1, /no tag/);
    refused('{% layout "/etc/passwd" %}', 1, /no tag/);
    refused('{% include "../../etc/passwd" %}', 1, /no snippet/);
  });

  it('says where: line, column and the words there', () => {
    for (const [source, place] of [
      ['a\n<p>Hi {{ x|shout }}, and more', 'line 2, column 7, at “{{ x|shout }}”'],
      ['Dear {{ user.first_name </p>\n{{ y }}', 'line 1, column 6, at “{{ user.first_name </p>”'],
      [`{{ ${'long '.repeat(20)}}}`, `line 1, column 1, at “{{ ${'long '.repeat(20).slice(0, 37)}…”`],
      ['é\n\n {% if x %}', 'line 3, column 2, at “{% if x %}”'],
    ] as const)
      assert.throws(
        () => compile(source),
        (error: TemplateError) => error.place === place,
        source,
      );
  });

  it('refuses mistakes in syntax, with the line', () => {
    for (const [source, line, message] of [
      ['\n{{ x', 2, /not closed/],
      ['\n\n{% if x', 3, /not closed/],
      ['{% if x %}\n', 1, /never closed with {% endif %}/],
      ['x\n{% for a in b %}{% if c %}{% endfor %}', 2, /no tag {% endfor %} here/],
      ['{% endif %}', 1, /no tag/],
      ['{% if x %}{% else %}{% else %}{% endif %}', 1, /no tag {% else %} here/],
      ['{% if x %}{% elseif y %}{% endif %}', 1, /no tag/],
      ['{% if x y %}{% endif %}', 1, /“y” is too much/],
      ['{% if x and %}{% endif %}', 1, /value is missing/],
      ['{% if not %}{% endif %}', 1, /value is missing/],
      ['{% if x not y %}{% endif %}', 1, /“in” was expected/],
      ['{% if x == %}{% endif %}', 1, /value is missing/],
      ['{% if x = 1 %}{% endif %}', 1, /too much/],
      ['{% if (x) %}{% endif %}', 1, /range syntax/],
      ['{% for x %}{% endfor %}', 1, /“in” was expected/],
      ['{% for x in %}{% endfor %}', 1, /value is missing/],
      ['{% for 1 in x %}{% endfor %}', 1, /name was expected/],
      ['{% for x in y backwards %}{% endfor %}', 1, /too much/],
      ['{% with %}{% endwith %}', 1, /needs a name/],
      ['{% with a=1 b %}{% endwith %}', 1, /“=” was expected/],
      ['{% include x %}', 1, /name in quotes/],
      ['{% comment %}\n{{', 2, /not closed/],
      ['{% comment %}\n', 1, /never closed/],
      ['{{ x|default }}', 1, /needs an argument/],
      ['{{ x|upper:"y" }}', 1, /takes no argument/],
      ['{{ x|default: }}', 1, /value is missing/],
      ['{{ x|default:"a":"b" }}', 1, /too much/],
      ['{{ x y }}', 1, /too much/],
      ['{{ }}', 1, /value is missing/],
      ['{{ "x }}', 1, /not closed/],
      ['{{ user.first_name </p>\n{{ y }}', 1, /{{ is not closed with }}/],
      ["{{ x|default:'it }}", 1, /not closed/],
      ['{{ x.. }}', 1, /too much|cannot/],
      ['{{ (1..9) }}', 1, /cannot be used/],
      ['{{ x[y] }}', 1, /cannot be used/],
      ['{{ 1 == 1 }}', 1, /too much/],
      ['{% %}', 1, /tag name expected/],
    ] as const) {
      refused(source, line, message);
    }
  });

  it('gives nothing of JavaScript away', () => {
    const values = { user: { first_name: 'Ada' }, list: [1], text: 'x' };
    for (const path of [
      'user.constructor',
      'user.toString',
      'user.hasOwnProperty',
      'list.map',
      'list.length',
      'text.length',
      'constructor',
      'toString',
      'user.first_name.length',
    ]) {
      assert.equal(render(`[{{ ${path} }}]`, values), '[]', path);
    }
    refused('{{ user.__proto__ }}', 1, /underscore/);
    refused('{{ user["__proto__"] }}', 1, /underscore/);
    assert.equal(render('{{ user["constructor"] }}{% for x in user.constructor %}x{% endfor %}', values), '');
    assert.equal(render('{% if "constructor" in user %}yes{% endif %}', values), '');
    assert.equal(render('{{ f }}', { f: () => 'called' }), '');
    assert.equal(render('{{ user }}', values), '');
  });

  it('escapes in HTML, once, and only there', () => {
    const nasty = '<script>"\'&';
    assert.equal(render('{{ x }}', { x: nasty }), '&lt;script&gt;&quot;&#x27;&amp;');
    assert.equal(render('{{ x|escape|escape }}', { x: nasty }), '&lt;script&gt;&quot;&#x27;&amp;');
    assert.equal(
      render('{{ x|upper }}{{ x|default:"" }}{{ x|safe|lower }}{{ x|safe|upper }}', { x: '<i>' }),
      '&lt;I&gt;&lt;i&gt;<i>&lt;I&gt;',
    );
    assert.equal(render('{{ x|safe }}', { x: '<i>' }), '<i>');
    assert.equal(render('{% with y=x|safe %}{{ y }}{% endwith %}{% with y=x %}{{ y }}{% endwith %}', { x: '<i>' }), '<i>&lt;i&gt;');
    assert.equal(
      render('{% firstof y x %}{% for each in list %}{{ each }}{% endfor %}', { x: '<i>', list: ['<b>'] }),
      '&lt;i&gt;&lt;b&gt;',
    );
    assert.equal(render('{{ x|join:"<br>" }}', { x: ['<a>', 'b'] }), '&lt;a&gt;<br>b');
    assert.equal(render('{{ x|join:by }}', { x: ['<a>', 'b'], by: '<br>' }), '&lt;a&gt;&lt;br&gt;b');
    assert.equal(render('{{ x|default:"<b>none</b>" }}', {}), '<b>none</b>');
    assert.equal(render('{{ x|default:"<b>none</b>" }}', { x: '<i>' }), '&lt;i&gt;');
    assert.equal(
      render('{{ x|default:y }}{{ x|default:"<b>"|capfirst }}{{ x|default:"<b>"|upper }}', { y: '<i>' }),
      '&lt;i&gt;<b>&lt;B&gt;',
    );
    assert.equal(
      render('{% if x|default:"<b>" == "<b>" %}same{% endif %}{% for y in x|default:"<b>" %}{{ y }}{% endfor %}', {}),
      'same&lt;b&gt;',
    );
    assert.equal(render('{{ x|linebreaks|default:"" }}{{ x|safe|default:"y" }}', { x: '<i>' }), '<p>&lt;i&gt;</p><i>');
    assert.equal(
      render('{{ x|safe|default:"y"|default:"z" }}{{ x|linebreaks|default:"y"|escape }}{{ x|safe|default:"y"|linebreaks }}', { x: '<i>' }),
      '<i><p>&lt;i&gt;</p><p><i></p>',
    );
    assert.equal(
      render('{% with d=y|default:"<b>" %}{{ y|default:d|default:"z" }}{{ list|join:d }}{{ x|add:d }}{% endwith %}', {
        x: '<i>',
        list: [1, 2],
      }),
      '<b>1<b>2&lt;i&gt;&lt;b&gt;',
    );
    assert.equal(inText('{{ x|default:"<b>" }}', {}), '<b>');
    assert.equal(inText('{{ x }}{{ x|escape }}{{ x|safe }}{{ x|force_escape }}', { x: '<&>' }), '<&><&><&><&>');
    assert.equal(inText('{{ x|linebreaks }}', { x: 'a\nb' }), 'a\nb');
  });

  it('binds not tighter than and, and tighter than or; comparisons tightest', () => {
    const values = { t: true, f: false, n: 5 };
    for (const [condition, expected] of [
      ['t or t and f', true],
      ['f and t or t', true],
      ['not f and t', true],
      ['not t or t', true],
      ['not n == 5', false],
      ['n == 5 and n > 4 or f', true],
      ['n >= 5 and n <= 5 and n != 4', true],
      ['n is None', false],
      ['missing is None', true],
      ['missing is not None', false],
      ['missing == None', true],
      ['t is True', true],
      ['"b" in "abc"', true],
      ['"z" not in "abc"', true],
      ['not "z" in "abc"', true],
      ['"5" == n', true],
      ['"5" == "5.0"', false],
      ['"10" > "9"', false],
      ['"x" > 3', false],
      ['"x" < 3', false],
      ['0', false],
      ['""', false],
      ['"0"', true],
      ['missing.deep.path', false],
      ['n>4', true],
      ['n==5', true],
      ['notable', false],
      ['information', true],
    ] as const) {
      assert.equal(
        render(`{% if ${condition} %}True{% else %}False{% endif %}`, { ...values, information: 1 }),
        expected ? 'True' : 'False',
        condition,
      );
    }
  });

  it('keeps names apart: inner ones hide outer ones and end with their block', () => {
    assert.equal(render('{% with x=1 %}{% with x=2 %}{{ x }}{% endwith %}{{ x }}{% endwith %}{{ x }}', { x: 0 }), '210');
    assert.equal(render('{% with a=b b=a %}{{ a }}{{ b }}{% endwith %}', { a: 1, b: 2 }), '21');
    assert.equal(render('{% for x in list %}{% for x in list %}{{ x }}{% endfor %}{{ x }};{% endfor %}', { list: [1, 2] }), '121;122;');
    assert.equal(render('{% include "a" with x=1 %}{{ x }}', { x: 0 }, { a: '{{ x }}{{ y }}' }), '10');
    assert.equal(render('{% with y=2 %}{% include "a" with x=1 only %}{% endwith %}', {}, { a: '{{ x }}[{{ y }}]' }), '1[]');
  });

  it('inserts compiled templates where they are named, with locals of their own', () => {
    const options = { names: objectNames, output: plainText };
    const content = compileTemplate('{% with x="inner" %}{{ x }}{% endwith %}', options);
    const outer = compileTemplate('{% with x="outer" %}{{ content }}/{{ content|safe }}/{{ x }}{% endwith %}', {
      ...options,
      inserts: { content },
    });
    assert.equal(renderText(outer, {}), 'inner/inner/outer');
  });

  it('leaves text that only looks like a tag alone, and knows raw', () => {
    assert.equal(render('a { b } {c} %} }} #} {# open\n#}'), 'a { b } {c} %} }} #} {# open\n#}');
    assert.equal(render('{{ "a }} b" }}{{ \'it"s\' }}{{ "say \\"hi\\"" }}'), 'a }} bit"ssay "hi"');
  });

  it('says where in a snippet something is wrong', () => {
    refused('\n{% include "a" %}', 2, /in the snippet “a”, line 3, column 1, at “{{ y\|x }}”: there is no filter “x”/, {
      a: '\n\n{{ y|x }}',
    });
    refused('{% include "a" %}', 1, /includes itself/, { a: '{% include "b" %}', b: '{% include "a" %}' });
  });

  it('strips what is a tag, and no text with a sign in it', () => {
    assert.equal(
      inText('{{ x|striptags }}', { x: '<p>1 < 2 and 3 > 2, I <3 you</p><br/><!DOCTYPE a><?b?>!' }),
      '1 < 2 and 3 > 2, I <3 you!',
    );
  });

  it('leaves decimals out where there are none, not where they round to nothing', () => {
    const shown = '{{ x|floatformat }} {{ x|floatformat:-2 }} {{ x|floatformat:2 }} {{ x|floatformat:0 }}';
    assert.equal(inText(shown, { x: '34.04' }), '34.0 34.04 34.04 34');
    assert.equal(inText(shown, { x: 9.999 }), '10.0 10.00 10.00 10');
    assert.equal(inText(shown, { x: '34.00' }), '34 34 34.00 34');
  });

  it('leaves nothing of what is cut to nothing, and a value to which there is one choice only', () => {
    const shown =
      '{{ x|truncatechars:0 }}/{{ x|truncatechars:1 }}/{{ x|truncatewords:0 }}/{{ x|truncatewords:1 }}/{{ x|yesno:"on" }}/{{ y|yesno:"on" }}';
    assert.equal(inText(shown, { x: 'Joel is' }), '/…//Joel …/Joel is/');
  });

  it('encodes for an address all but what it is told to leave', () => {
    const x = 'https://a.org/ü?b=(c)';
    assert.equal(inText('{{ x|urlencode }}', { x }), 'https%3A//a.org/%C3%BC%3Fb%3D%28c%29');
    assert.equal(inText('{{ x|urlencode:"" }}', { x }), 'https%3A%2F%2Fa.org%2F%C3%BC%3Fb%3D%28c%29');
    assert.equal(inText('{{ x|urlencode:":/?=(ü" }}', { x }), 'https://a.org/%C3%BC?b=(c%29');
    assert.equal(inText('{{ x|urlencode:"/%" }}', { x: '50%2F a' }), '50%2F%20a');
  });

  it('shows no day for a date that there is not', () => {
    const shown = (day: string) => render('{{ day|date:"j F"|default:"soon" }}', { day });
    for (const day of ['2026-02-29', '2026-04-31', '2026-04-31T10:00:00Z', '2026-11-31 09:30+0200', '2026-13-01', '0000-00-00'])
      assert.equal(shown(day), 'soon', day);
    assert.deepEqual(['2028-02-29', '2026-03-01 00:30+0200', '2026-12-31T24:00:00Z'].map(shown), [
      '29 February',
      '28 February',
      '1 January',
    ]);
  });

  it('skips, with the reason, when a required value is missing', () => {
    for (const x of [undefined, null, '', '  ', []])
      assert.throws(() => render('{{ x|required }}', { x }), new RenderError('x is missing'));
    assert.equal(render('{{ x|required }}', { x: 0 }), '0');
    assert.equal(render('{% if x %}{{ x|required }}{% endif %}fine', {}), 'fine');
    assert.throws(() => render('{{ a.b|default:c|required }}'), new RenderError('a.b|default:c is missing'));
  });
});

describe('hostile templates', () => {
  /** @param limit milliseconds of CPU, so that other work on the machine does not count */
  const quickly = (limit: number, body: () => void) => {
    const took = processorMs(body);
    assert.ok(took < limit, `took ${Math.round(took)} ms`);
  };
  const list = Array.from({ length: 1000 }, (_, n) => `item ${n}`);
  const nested = (depth: number, inner: string) => `${'{% for x in list %}'.repeat(depth)}${inner}${'{% endfor %}'.repeat(depth)}`;

  it('that loop without end are stopped', () => {
    for (const inner of ['', 'x', '{{ x }}', '{% if x == "y" %}{% endif %}', '{% with a=x %}{% endwith %}', '{{ x|upper|lower|title }}']) {
      quickly(4000, () => assert.throws(() => render(nested(6, inner), { list }), /takes too long/));
    }
  });

  it('that grow without end are stopped', () => {
    quickly(4000, () => assert.throws(() => render(nested(2, 'x'.repeat(100_000)), { list }), /too large/));
    const doubling = `${'{% with a=a|add:a %}'.repeat(40)}{{ a }}${'{% endwith %}'.repeat(40)}`;
    quickly(1000, () => assert.throws(() => render(doubling, { a: 'x'.repeat(100) }), /too long/));
    quickly(4000, () => assert.throws(() => render('{{ a }}'.repeat(2000), { a: 'x'.repeat(500_000) }), /too large/));
  });

  it('that work filters hard are stopped', () => {
    const long = '<'.repeat(900_000);
    for (const name of [
      'striptags',
      'title',
      'linebreaks',
      'truncatewords:3',
      'urlencode',
      'slugify',
      'intcomma',
      'wordcount',
      'floatformat',
      'date',
      'slice:":3"',
      'upper',
      'escape',
    ]) {
      quickly(800, () => render(`{{ a|${name}|length }}`, { a: long }));
      quickly(800, () => render(`{{ a|${name}|length }}`, { a: '1'.repeat(900_000) }));
      quickly(800, () => render(`{{ a|${name}|length }}`, { a: ' -'.repeat(450_000) }));
    }
    // Marks out of their order, and letters that come apart into eighteen.
    quickly(800, () => render('{{ a|slugify|length }}', { a: '\u0301\u0316'.repeat(450_000) }));
    quickly(4000, () => assert.throws(() => render('{{ a|slugify|length }}'.repeat(4), { a: '\ufdfa'.repeat(450_000) }), /takes too long/));
    const kept = `a|urlencode:" !#$&'()*+,/:;<=>?@[]^{|}%"`;
    for (const letters of [63, 100_000]) {
      const source = nested(2, `{% if ${Array(200).fill(kept).join(' and ')} %}{% endif %}`);
      quickly(1500, () => assert.throws(() => render(source, { a: '\u202e'.repeat(letters), list }), /takes too long/));
    }
    const much = '{{ a|striptags|length }}'.repeat(1000);
    quickly(4000, () => assert.throws(() => render(much, { a: long }), /takes too long/));
  });

  it('that give filters and comparisons much to work on are stopped, not only what is filtered', () => {
    const grown = (from: string, inner: string) =>
      `{% with a0="${from}" %}${Array.from({ length: 6 }, (_, n) => `{% with a${n + 1}=a${n}|add:a${n} %}`).join('')}${inner}${'{% endwith %}'.repeat(7)}`;
    const sought = (length: number) => `"${'a'.repeat(length / 2)}b${'a'.repeat(length / 2)}"`;
    const now = new Date();
    for (const [from, test] of [
      [',', '"x"|is_in:a6'],
      [',', '1|pluralize:a6'],
      [',', '1|yesno:a6'],
      ['r', 'now|date:a6'],
      ['r', 'now|time:a0'],
      ['1,', 'now|date_add:a6'],
      ['a', `${sought(10_000)} in a6`],
      ['a', `${sought(10_000)} not in a2`],
      ['a', `${sought(60)} in a6`],
      ['a', `a6|cut:${sought(900)}`],
      ['a', `a6|split:${sought(900)}`],
      ['a', 'list|join:a6'],
      ['a', 'a6 == b'],
      ['<', '""|default:a6'],
    ] as const) {
      const shown = `{% with b=a5|add:a5 %}{% if ${test} %}x{% endif %}{% endwith %}`;
      const source = grown(from.repeat(15_600 / from.length), nested(2, shown));
      quickly(800, () => assert.throws(() => render(source, { list, now }), /takes too long|grows too long|is longer than/));
    }
  });

  it('that make lists of one long text are stopped before there is a text of them', () => {
    const doubled = `${'{% with l=l|add:l %}'.repeat(9)}{{ l|join:"" }}${'{% endwith %}'.repeat(9)}`;
    quickly(800, () => assert.throws(() => render(doubled, { l: ['x'.repeat(900_000)] }), /takes too long/));
    quickly(800, () => assert.throws(() => render('{{ list|join:a }}', { list, a: 'x'.repeat(900_000) }), /grows too long/));
  });

  it('that filter, compare or ask the same again and again at one place are stopped', () => {
    const fields = JSON.parse(JSON.stringify(Object.fromEntries(list.map((name) => [name, name])))) as Values;
    for (const inner of [
      `{{ x${'|title'.repeat(900)} }}`,
      `{% if ${'x == 1 or '.repeat(240)} 0 %}{% endif %}`,
      `{% if ${'not fields or '.repeat(300)} 0 %}{% endif %}`,
      `{% if ${'a.b.c.d.e.f or '.repeat(490)} 0 %}{% endif %}`,
      `{% if ${'x and '.repeat(490)} 0 %}{% endif %}`,
      '{% if fields.items %}{% endif %}',
      `{% now "${'j'.repeat(15_000)}" %}`,
    ]) {
      const values = { list: list.slice(0, 100), fields, now: new Date() };
      quickly(2000, () => assert.throws(() => render(nested(2, inner), values), /takes too long/, inner.slice(0, 40)));
    }
    refused(`\n{{ list${'.a'.repeat(9000)} }}`, 2, /has more than 100 names/);
  });

  it('leave others what they need: long lists of members, long texts, many dates', () => {
    const zips = Array.from({ length: 3000 }, (_, n) => String(10_000 + n)).join(',');
    assert.equal(
      render(`{% for z in list %}{% if z|is_in:"${zips}" %}x{% endif %}{% endfor %}`, { list: ['10000', '12999', '13000'] }),
      'xx',
    );
    const dates = Array.from({ length: 1000 }, () => '2026-11-21T10:00:00Z');
    const shown = render('{% for d in dates %}{{ d|date:"l, F j \\a\\t g:i a" }} {% endfor %}', { dates });
    assert.ok(shown.startsWith('Saturday, November 21 at 10:00 a.m. '), shown.slice(0, 60));
    const letter = 'Dear friend, '.repeat(5000);
    assert.equal(
      render('{% if "friend" in a and b not in a %}{{ a|cut:"friend"|length }}{% endif %}', { a: letter, b: 'x'.repeat(500) }),
      '35000',
    );
  });

  it('that open brackets, deny or choose without end are refused with the place, before anything is read by recursion', () => {
    for (const many of ['(', '[', 'user[', '(1..', 'a[b', 'not ', '1 or ', '1 and ', 'a == ', 'a|upper|', '"x" in ', '- '])
      for (const [open, close] of [
        ['\n{% if ', ' %}{% endif %}'],
        ['\n{{ ', ' }}'],
        ['\n{% with a=', ' %}{% endwith %}'],
        ['\n{% for x in ', ' %}{% endfor %}'],
      ] as const) {
        const deep = (times: number) => quickly(200, () => refused(`${open}${many.repeat(times)}${close}`, 2, /./));
        deep(500);
        deep(5000);
        deep(60_000);
      }
    refused(`\n{{ ${'['.repeat(20)} }}`, 2, /brackets are nested more than 10 deep, at column 14/);
    assert.equal(render(`{% if ${'not '.repeat(900)}1${' or 1'.repeat(40)} %}x{% endif %}`), 'x');
  });

  it('that make names without end cost what they are long, or are refused with the line', () => {
    const names = (many: number, each = (n: number) => `n${n}=1`) => Array.from({ length: many }, (_, n) => each(n)).join(' ');
    quickly(200, () => refused(`\n{% with ${names(16_000)} %}{% endwith %}`, 2, /more than/));
    quickly(200, () => refused(`{% for ${names(16_000, (n) => `n${n},`)} in x %}{% endfor %}`, 1, /more than/));
    quickly(200, () => compile(`{% with ${names(300)} %}{{ n299 }}{% endwith %}`.repeat(5)));
    quickly(400, () => refused(`{% with ${names(60)} %}`.repeat(40) + '{% endwith %}'.repeat(40) + '{{ x }}'.repeat(5000), 1, /together/));
  });

  it('that are deep or long or include without end are refused', () => {
    quickly(2000, () => refused('{% if x %}'.repeat(5000), 1, /too deeply/));
    quickly(2000, () => refused('x'.repeat(1_000_001), 1, /longer than/));
    const bomb = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`s${n}`, `{% include "s${n + 1}" %}`.repeat(10)]));
    quickly(3000, () => assert.throws(() => compile('{% include "s0" %}', { ...bomb, s30: 'x' }), TemplateError));
  });

  it('of every kind are read in time that grows with their length only', () => {
    for (const piece of [
      '{{',
      '{%',
      '{{x|',
      '{{ x }}',
      '{% x %}',
      '{# ',
      '{{"',
      '{% comment %}',
      '{%if x%}{%endif%}',
      '{{ a.b.c.d|default:"x" }}',
      '<{',
      '}}',
      '{{-',
      '{% raw %}',
    ]) {
      quickly(3000, () => {
        try {
          compile(piece.repeat(Math.floor(300_000 / piece.length)));
        } catch (error) {
          assert.ok(error instanceof TemplateError, `${piece}: ${error}`);
        }
      });
    }
  });
});
