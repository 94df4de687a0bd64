import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { TARGETING_FIELDS } from '../../core/mailings/input/targeting.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { filled, hidden } from '../support/audience-form.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';
import { everyTurnMs } from '../support/processor-time.ts';

type Sent = Record<string, string | string[]>;

/** What nobody's browser sends, each to be refused and nothing of it saved. */
const REFUSED: Sent[] = [
  { 'includes.lists': '99999999999' },
  { 'excludes.lists': '99999999999999999999' },
  { 'excludes.lists': ['1', '-1'] },
  { 'excludes.tags': 'x\0y' },
  { 'excludes.mailings': '9223372036854775808' },
  { 'excludes.mailings': '1.5' },
  { 'excludes.actions': '0' },
  { 'excludes.users': ['1', '99999999999999999999'] },
  { 'excludes.users': '\0@example.org' },
  { 'includes.languages': '__proto__' },
  { 'includes.campaigns': 'constructor' },
  { targeting_version: 'abc' },
  { targeting_version: '' },
  { targeting_version: ['1', '1'] },
  { targeting_version: '99999999999999999999' },
  { limit: 'x' },
  { limit: '-1' },
  { limit: '1e3' },
  { limit: ['5', '6'] },
  { limit: '99999999999' },
  { sort_by: 'drop table' },
  { 'includes.zips': '10001', 'includes.zip_radius': '-5' },
  { 'includes.zips': '10001', 'includes.zip_radius': '1e300' },
  { 'includes.zips': '10001', 'includes.zip_radius': '9'.repeat(40) },
  { 'includes.zips': '10001', 'includes.zip_radius': ['5', '500'] },
  { 'includes.zips': '\0' },
  { 'includes.zip_radius': '5' },
  { 'includes.states': '\0\0' },
  { 'excludes.states': 'N\u2603' },
  { 'excludes.counties': 'Al\0bany' },
  { 'excludes.counties': 'x'.repeat(201) },
  { 'excludes.cds': 'NY-12' },
  { 'excludes.has_donated': 'maybe' },
  { 'excludes.has_donated': ['yes', 'no'] },
  { 'excludes.was_monthly_donor': ['active', 'never'] },
  { 'excludes.campaign_samestate_only': 'yes' },
  { 'excludes.campaign_radius': 'NaN' },
  { 'excludes.raw_sql': 'select 1; drop table core_user' },
  { 'excludes.raw_sql': 'select \0', 'excludes.raw_sql.dialect': 'postgresql' },
  { 'excludes.raw_sql': 'select id from core_user', 'excludes.raw_sql.dialect': 'oracle' },
  { 'excludes.query_reports': 'no such' },
  { 'excludes.query_reports': '', 'excludes.query_reports.params': 'a = b' },
  { 'excludes.query_reports': 'x\0' },
  { mergefile: '99999999999' },
  { mergefile: 'x' },
  { target_mergefile: 'perhaps' },
  { target_group_from_landing_page: ['yes', 'yes'] },
];

describe('the form of an audience, sent what no browser sends', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;

  before(async () => {
    api = await startApi();
    for (let n = 0; n < 3; n++) await api.create('list', { name: `List ${n}` });
    await api.create('user', { email: 'ann@example.org' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    uri = await api.create('mailer', { ...READY, includes: { lists: [1] }, excludes: { lists: [2], states: ['NY'] }, limit: 7 });
    at = `/console/mailings/${idIn(uri)}/choose/`;
  });
  after(() => api.close());

  const form = async () => filled((await visitor.get(at)).body);
  const stored = async () => {
    const { includes, excludes, limit, sort_by, targeting_version } = await api.read(uri);
    return { includes, excludes, limit, sort_by, targeting_version };
  };

  it('refuses it, says so on a page, and counts nothing of it', async () => {
    const [before, untouched] = [await stored(), await form()];
    for (const sent of REFUSED) {
      const said = JSON.stringify(sent).slice(0, 100);
      const answer = await visitor.post(at, { ...untouched, ...sent });
      ok([400, 409].includes(answer.statusCode), `${said}: ${answer.statusCode}`);
      match(answer.body, /It was not saved/, said);
      deepEqual(await stored(), before, said);
      if ('targeting_version' in sent || 'sort_by' in sent) continue;
      const counts = await visitor.post(`${at}counts`, { ...untouched, ...sent });
      equal(counts.statusCode, 400, `counts of ${said}: ${counts.statusCode}`);
      ok(counts.json().problems.join('').length > 0, said);
    }
  });

  it('takes every field for every kind of nonsense without failing', async () => {
    const nonsense = [
      '\0',
      '\\',
      "'",
      '"',
      '"a""',
      '%',
      '<script>alert(1)</script>',
      '{{ user.email }}',
      '\u{1F600}',
      '-1',
      '1e999',
      '[]',
      '{}',
      'null',
      'a=b',
      ' ',
    ];
    const untouched = await form();
    for (const side of ['includes', 'excludes'])
      for (const field of TARGETING_FIELDS) {
        const sent = { ...untouched, [`${side}.${field}`]: nonsense };
        const answers = [await visitor.post(at, sent), await visitor.post(`${at}counts`, sent)];
        for (const { statusCode, body } of answers) {
          equal(statusCode, 400, `${side}.${field}: ${statusCode}`);
          doesNotMatch(body.replace(/^\{.*\}$/s, ''), /<script>alert/);
        }
      }
  });

  it('is read without holding anybody up, however often a parameter of a report is named', async () => {
    const sent = { ...(await form()), 'excludes.query_reports': 'none', 'excludes.query_reports.params': 'a = [1, 2]\n'.repeat(8_000) };
    const held = await everyTurnMs(200, async () => equal((await visitor.post(`${at}counts`, sent)).statusCode, 400));
    ok(held < 200, `it held the others for ${Math.round(held)} ms`);
  });

  it('shows parameters that could not be read in a field of as many lines as they have, and of no more than can be seen', async () => {
    for (const [params, lines] of [
      ['no parameter', 1],
      ['state = NY\nand more', 2],
      ['x\n'.repeat(1000), 20],
    ] as const) {
      const sent = { ...(await form()), 'excludes.query_reports': 'none', 'excludes.query_reports.params': params };
      const { body } = await visitor.post(at, sent);
      match(body, new RegExp(`name="excludes\\.query_reports\\.params" rows="${lines}"[^>]*>\n${params.slice(0, 10)}`));
    }
  });

  it('keeps what bytes no text is made of from anybody', async () => {
    const { _csrf, targeting_version } = hidden((await visitor.get(at)).body);
    const before = await stored();
    for (const path of [at, `${at}counts`])
      for (const bytes of ['%ED%A0%80', '%00', '%FF%FE', '%']) {
        const answer = await api.app.inject({
          method: 'POST',
          url: path,
          headers: { cookie: visitor.cookie, 'content-type': 'application/x-www-form-urlencoded' },
          payload: `_csrf=${encodeURIComponent(_csrf[0]!)}&targeting_version=${targeting_version[0]}&excludes.states=${bytes}&excludes.lists=${bytes}`,
        });
        equal(answer.statusCode, 400, `${path} ${bytes}`);
      }
    deepEqual(await stored(), before);
  });

  it('takes what is sent twice once, and refuses more than it can read rather than leaving out the last', async () => {
    const twice = await visitor.post(at, { ...(await form()), 'excludes.lists': ['2', '3', '2', '3'] });
    equal(twice.statusCode, 303);
    deepEqual((await stored()).excludes, { lists: ['List 1', 'List 2'], states: ['NY'] });
    const before = await stored();
    const many = (most: number) => Array.from({ length: most }, (_, n) => String(n + 1));
    for (const path of [at, `${at}counts`]) {
      for (const most of [10_001, 100_000]) {
        const answer = await visitor.post(path, { ...(await form()), 'includes.lists': many(most), 'excludes.lists': ['2', '3'] });
        equal(answer.statusCode, 413, `${path} ${most}`);
      }
      equal((await visitor.post(path, { ...(await form()), 'excludes.lists': many(5000) })).statusCode, 400);
      const text = many(100_000).join(',');
      equal((await visitor.post(path, { ...(await form()), 'excludes.users': text })).statusCode, 400);
      equal(
        (await visitor.post(path, { ...(await form()), 'excludes.counties': ' '.repeat(200_000) + '"'.repeat(200_000) })).statusCode,
        400,
      );
    }
    deepEqual(await stored(), before);
  });

  it('looks for whatever is asked for', async () => {
    const kinds = ['lists', 'tags', 'actions', 'mailings', 'languages', 'target_groups', 'campaigns', 'query_reports'];
    const places = ['states', 'countries', 'zips', 'counties', 'cds', 'state_house_districts', 'state_senate_districts', 'regions'];
    const { _csrf } = await form();
    for (const q of ['', '%', '_', "'", '\0', '\\', '"', '99999999999999999999', 'x'.repeat(5000), '\u{1F600}', '(((', '*']) {
      for (const kind of [...kinds, ...places])
        equal((await visitor.get(`/console/choices/${kind}?${new URLSearchParams({ q })}`)).statusCode, 200, `${kind} ${q}`);
      equal((await visitor.post('/console/choices/users', { _csrf: _csrf!, q })).statusCode, 200, q);
    }
    for (const query of ['q=a&q=b', 'q[]=a', 'q=%ED%A0%80', 'q=%FF'])
      equal((await visitor.get(`/console/choices/states?${query}`)).statusCode, 200, query);
    for (const kind of ['users', 'raw_sql', 'constructor', '__proto__', 'models', 'wrappers', '%00'])
      equal((await visitor.get(`/console/choices/${kind}?q=a`)).statusCode, 404, kind);
    equal((await visitor.post('/console/choices/users', { q: 'ann' })).statusCode, 403);
  });
});
