/** One request of a caller who means harm, or of a program gone wrong. */
export interface HostileInput {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Longest body the API takes by default, nearly. */
const MOST = 10_000_000;
/** Of a file: more of the same takes longer, and holds nobody for longer. */
const MUCH = 950_000;
/** Longest body of an action, nearly: beyond it there is nothing but a 413. */
const MOST_OF_ACTION = 240_000;
const upTo = (most: number, piece: string) => piece.repeat(Math.floor(most / piece.length));
const zips = (many: number) => Array.from({ length: many }, (_, n) => String(n).padStart(5, '0'));
const list = (many: number, each: (n: number) => string, joint = ',') => Array.from({ length: many }, (_, n) => each(n)).join(joint);

/**
 * Adversarial requests to every kind of door: what is nested, repeated, long, or looked through by patterns.
 * @param admin Basic credentials of somebody who may do everything
 */
export function hostileInputs(admin: string): HostileInput[] {
  const json = (name: string, path: string, body: string | object, method = 'POST'): HostileInput => ({
    name,
    method,
    path,
    headers: { ...JSON_TYPE, authorization: admin },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const get = (name: string, path: string, headers: Record<string, string> = { authorization: admin }): HostileInput => ({
    name,
    method: 'GET',
    path,
    headers,
    body: '',
  });
  const action = (name: string, body: string, headers: Record<string, string> = JSON_TYPE): HostileInput => ({
    name: `action: ${name}`,
    method: 'POST',
    path: '/rest/v1/action/',
    headers,
    body,
  });
  const withField = (field: string, value: string) => `{"page":"none","email":"a@b.test","${field}":${value}}`;
  const mail = (name: string, html: string, more: object = {}) =>
    json(`mailer: ${name}`, '/rest/v1/mailer/', { html, subjects: ['s'], ...more });
  const upload = (name: string, csv: string, field = 'upload'): HostileInput => ({
    name: `upload: ${name}`,
    method: 'POST',
    path: '/rest/v1/upload/',
    headers: { authorization: admin, 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\nnone\r\n--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.csv"\r\n\r\n${csv}\r\n--b--\r\n`,
  });
  const sql = (name: string, query: string) => get(`report: ${name}`, `/rest/v1/report/run/sql/?query=${encodeURIComponent(query)}`);

  return [
    action('lists 5,000 deep', withField('x', '['.repeat(5000) + ']'.repeat(5000))),
    action('objects 45,000 deep', upTo(MOST_OF_ACTION, '{"a":')),
    action('40,000 numbers in lists', withField('lists', `[${list(40_000, String)}]`)),
    action('5,000 user_ fields', `{"page":"none","email":"a@b.test",${list(5000, (n) => `"user_f${n}":"x"`)}}`),
    action('a list of 25,000 in a user_ field', withField('user_x', `[${list(25_000, (n) => `"${n}"`)}]`)),
    action('20,000 names', `{${list(20_000, (n) => `"k${n}":1`)}}`),
    action('a long email', withField('email', JSON.stringify(`${upTo(MOST_OF_ACTION, 'a.')}@b`))),
    action('an email of dots', withField('email', JSON.stringify(`a@${upTo(MOST_OF_ACTION, 'a.')}`))),
    action('a long akid', withField('akid', JSON.stringify(upTo(MOST_OF_ACTION, '1.')))),
    action('a name of spaces', withField('name', JSON.stringify(`${upTo(MOST_OF_ACTION, ' ')}x`))),
    action('numbers of 100,000 digits', withField('mailing_id', '1'.repeat(100_000))),
    action(
      'a form of 9,000 names',
      list(9000, (n) => `user_${n}=1`, '&'),
      FORM,
    ),
    action(
      'a form with one name 30,000 times',
      list(30_000, () => 'lists=1', '&'),
      FORM,
    ),
    action('a form of a[b][c]…', `page=none&a${'[b]'.repeat(80_000)}=1`, FORM),
    action('a form of percent signs', `page=${upTo(MOST_OF_ACTION, '%')}`, FORM),
    action('a form of nothing but &', upTo(MOST_OF_ACTION, '&'), FORM),

    ...[
      '{% if ((((',
      '{{ ((((',
      '{{ user[[[[',
      '{{ (1..(1..',
      '{% if not not not not',
      '{% if 1 or 1 or 1 or 1',
      '{% if 1 and 1 and 1 and 1',
      '{{ "a"|upper|upper|upper',
    ].map((begin) => {
      const unit = begin.replace(/^(\{%\s*if|\{\{)\s*(user|"a")?/, '');
      return mail(`${begin} …`, `${begin}${upTo(400_000, unit)}${begin.startsWith('{%') ? ' %}{% endif %}' : ' }}'}`);
    }),
    mail('16,000 names in {% with %}', `{% with ${list(16_000, (n) => `n${n}=1`, ' ')} %}{% endwith %}`),
    mail('16,000 {% with %}', upTo(480_000, '{% with a=1 %}{% endwith %}')),
    mail('500 names in nested {% with %}', `{% with ${list(100, (n) => `n${n}=1`, ' ')} %}`.repeat(14) + '{% endwith %}'.repeat(14)),
    mail('as many values as may be', upTo(30_000, '{{ user.first_name|default:"x" }}'), { text: '{{ akid }}'.repeat(900) }),
    mail('as long as may be', upTo(480_000, '<p>word &amp; word</p>\n'), { text: upTo(400_000, 'word ') }),
    mail('long lines beyond ASCII', upTo(400_000, 'ü'), { text: 'x' }),
    mail('{{ never closed', upTo(400_000, '{{ ')),
    mail('{% never closed', upTo(400_000, '{% ')),
    mail('quotes never closed', upTo(400_000, '{{ "')),
    mail('{% raw %} never closed', `{% raw %}${upTo(400_000, '{% endra')}`),
    mail('<a never closed', upTo(240_000, '<a '), { text: 'x' }),
    mail('20,000 links', upTo(490_000, '<a href="http://a.b/">x</a>'), { text: 'x' }),
    mail('<body never closed', upTo(400_000, '<body '), { text: 'x' }),
    mail('a text version of 250,000 <b>', upTo(249_000, '<b>')),
    mail('a text version of as many elements as may be', '<div>'.repeat(3900)),
    mail('a text version of 4,000 paragraphs', '<p>a b c</p>'.repeat(3900)),
    mail('a text version of 249,000 <', upTo(249_000, '<')),
    mail('a text version of &amp;', upTo(249_000, '&amp;')),
    mail('a text version of {{{{', upTo(249_000, '{{')),
    mail('unsubscribe unsubscribe …', upTo(480_000, 'unsubscribe'), { text: upTo(400_000, 'unsubscribe{{') }),
    mail('{% include " …', upTo(480_000, '{% include "')),
    mail('20,000 subjects', 'x', { subjects: Array(20_000).fill('s') }),
    mail('a from line of spaces', 'x', { custom_fromline: `${upTo(400_000, ' ')}x` }),
    mail('10,000 lists', 'x', { includes: { lists: Array.from({ length: 10_000 }, (_, n) => n) } }),
    mail('100,000 zips', 'x', { includes: { zips: zips(100_000) } }),
    mail('100,000 zips, and as many excluded as may be', 'x', {
      includes: { zips: zips(100_000) },
      excludes: { zips: zips(95_000) },
    }),
    mail('100,000 names of lists', 'x', { includes: { lists: Array.from({ length: 100_000 }, (_, n) => `list ${n}`) } }),
    mail('10 MB of HTML', upTo(MOST, '<p>{{ x }} word</p>')),
    mail('10 MB of newlines', upTo(MOST / 2, '\n')),
    mail('a from line of 10 MB', 'x', { custom_fromline: `${upTo(MOST, '"a" <')}x` }),
    json('mailer: the zips of a mailing changed', '/rest/v1/mailer/1/', { includes: { zips: zips(100_000).reverse() } }, 'PATCH'),
    json('mailer: the zips of a mailing sent back', '/rest/v1/mailer/1/', { includes: { zips: zips(100_000) } }, 'PATCH'),
    json('snippet: brackets', '/rest/v1/snippet/', { name: 's', html: `{{ ${upTo(400_000, '[')}` }),
    json('wrapper: not not', '/rest/v1/emailwrapper/', {
      name: 'w',
      template: `{% if ${upTo(400_000, 'not ')}1 %}{% endif %}{{ content }}`,
    }),
    json('report: brackets', '/rest/v1/queryreport/', { name: 'r', short_name: 'r', sql: `select ${upTo(50_000, '(')}1` }),

    get('10,000 values of a filter', `/rest/v1/user/?id__in=${list(3000, String)}`),
    get('order_by of 3,000 names', `/rest/v1/user/?order_by=${list(1500, () => 'email')}`),
    get('2,000 parameters', `/rest/v1/user/?${list(1800, (n) => `f${n}=1`, '&')}`),
    get('a filter through 500 relations', `/rest/v1/action/?${'user__'.repeat(1500)}email=x`),
    get('a path of slashes', `/rest/v1${'/'.repeat(12_000)}`),
    get('a path of dots', `/rest/v1/${'../'.repeat(4000)}`),
    get('an akid of 12,000 characters', `/view/${'1.'.repeat(6000)}`, {}),
    get('unsubscribe with a long akid', `/unsubscribe/?akid=${'1.'.repeat(6000)}`, {}),
    get('a header of 14,000 characters', '/health/live', { 'x-long': 'a'.repeat(14_000) }),
    get('a cookie of 2,000 parts', '/console/', { cookie: list(2000, (n) => `c${n}=1`, ';') }),
    get('credentials of 12,000 characters', '/rest/v1/user/', { authorization: `Basic ${'YTph'.repeat(3000)}` }),
    sql('400 relations', `select 1 from ${list(400, (n) => `(values(1)) v${n}`, ' cross join ')}`),
    sql('brackets', `select ${'('.repeat(4000)}1${')'.repeat(4000)}`),
    sql('4,000 columns', `select ${list(3000, () => '1')}`),
    sql('a gigabyte', `select repeat('x', 1000000000)`),

    upload('one line of 900,000 characters', `email,${'x'.repeat(MUCH - 50_000)}`),
    upload('100,000 columns', `email,${list(100_000, (n) => `c${n}`)}`),
    upload('300,000 empty lines', `email\n${'\n'.repeat(300_000)}`),
    upload('20,000 lines of 5 columns', `email,zip,city,state,user_x\n${list(20_000, (n) => `a${n}@b.test,1,2,3,4`, '\n')}`),
    upload('quotes never closed', `email\n"${upTo(MUCH - 50_000, '""')}`),
    {
      ...upload('20,000 parts', ''),
      body: `${list(9000, (n) => `--b\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\n1`, '\r\n')}\r\n--b--\r\n`,
    },
    json('merge of 10,000 users', '/rest/v1/usermerge/', { primary_user: 1, users: Array.from({ length: 10_000 }, (_, n) => n) }),
    json('10 MB of escapes that are never closed', '/rest/v1/user/', `["${upTo(MOST - 10, '\\n')}`),
    json('10 MB of lines, and no JSON', '/rest/v1/user/', `${upTo(MOST - 10, '\n')}x`),
    json('a body of 100,000 lists', '/rest/v1/user/', `[${list(100_000, () => '[]')}]`),
    json('10 MB of lists', '/rest/v1/user/', `{"x":[${upTo(MOST - 10, '[],')}[]]}`),
    json('10 MB of names', '/rest/v1/user/', `{"x":{${list(700_000, (n) => `"${n}":1`)}}}`),
    json('10 MB of lists never closed', '/rest/v1/user/', `${upTo(MOST - 1000, '\n')}${'['.repeat(500)}`),
    json('user: 18,000 custom fields', '/rest/v1/user/', `{"email":"a@b.test","fields":{${list(18_000, (n) => `"f${n}":"x"`)}}}`),
    json('user: a name of 10 MB', '/rest/v1/user/', { email: 'a@b.test', first_name: upTo(MOST, 'ü ').slice(0, MOST / 2) }),
    json('user: 150,000 phones', '/rest/v1/user/', `{"email":"a@b.test","phones":[${list(150_000, String)}]}`),
    json('page: 150,000 tags', '/rest/v1/signuppage/', `{"name":"p","tags":[${list(150_000, String)}]}`),
    { ...json('a form of 10 MB', '/rest/v1/user/1/logintoken/', upTo(MOST, 'ttl=%31&')), headers: { ...FORM, authorization: admin } },
    {
      ...json('a form of blanks', '/rest/v1/user/1/logintoken/', `ttl=${'+'.repeat(1_000_000)}`),
      headers: { ...FORM, authorization: admin },
    },
    json('push: 5,000 details', '/rest/v1/donationpush/', `{"donation":{"details":[${list(5000, () => '{"a":1}')}]}}`),
  ];
}
