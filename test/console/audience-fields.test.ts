import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { TARGETING_FIELDS } from '../../core/mailings/input/targeting.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { audienceIn, filled, hidden } from '../support/audience-form.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { buildSet, idIn, READY } from '../support/mailings.ts';

const SIDES = ['includes', 'excludes'] as const;

describe('the fields of an audience', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let ann: string;
  let uri: string;
  let at: string;

  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', title: 'Join us' });
    ann = await api.create('user', { email: 'ann@example.org', first_name: 'Ann', last_name: 'Smith' });
    await api.create('user', { email: 'anna@example.org', first_name: 'Anna' });
    await api.create('queryreport', {
      name: 'Of a state',
      short_name: 'by_state',
      sql: 'select id from core_user where state = {{ state }}',
    });
    await api.pool.query(`
      insert into core_tag (name) values ('spring');
      insert into core_language (name) values ('English') on conflict do nothing;
      insert into core_targetgroup (name, type) values ('Senate', 'senate');
      insert into events_campaign (name, title) values ('march', 'The march');
      insert into core_mergefile (name) values ('Seats');
      insert into core_mailing (status) values ('completed')`);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const use = async (more: object = {}) => {
    uri = await api.create('mailer', { ...READY, ...more });
    at = `/console/mailings/${idIn(uri)}/choose/`;
  };
  const open = async (who = visitor) => (await who.get(at)).body;
  const stored = async () => {
    const { rows } = await api.pool.query(
      'select includes, excludes, target_mergefile, target_group_from_landing_page, mergefile_id, targeting_version from core_mailing where id = $1',
      [idIn(uri)],
    );
    return rows[0];
  };
  const id = async (table: string) => (await api.pool.query(`select min(id) as id from ${table}`)).rows[0].id as number;
  const account = async (username: string, grants: string[]): Promise<ConsoleVisitor> => {
    const group = await api.create('authgroup', { name: username, grants });
    await api.create('authuser', { username, password: 'long-enough', is_staff: true, groups: [group] });
    const made = new ConsoleVisitor(api.app);
    await made.logIn({ username, password: 'long-enough' });
    return made;
  };

  /** Something of every field, as it is stored. */
  const something = async (): Promise<Record<string, unknown>> => ({
    users: [idIn(ann)],
    lists: [1],
    states: ['NY', 'CA'],
    countries: ['Korea, Republic of', 'France', 'The "Free" Isles; south'],
    regions: ['Île-de-France'],
    zips: ['10001', '100*', 'Albany, NY'],
    zip_radius: 2.5,
    counties: ['Albany'],
    cds: ['NY_12'],
    state_house_districts: ['NY_012'],
    state_senate_districts: ['NY_013'],
    has_donated: false,
    was_monthly_donor: ['active', 'any'],
    actions: [await id('core_page')],
    tags: [1],
    campaigns: [1],
    campaign_radius: 12.5,
    campaign_samestate_only: true,
    campaign_same_county_only: true,
    campaign_same_district_only: true,
    target_groups: [1],
    languages: [await id('core_language')],
    mailings: [await id('core_mailing')],
    raw_sql: ['select id from core_user\r\nwhere id < 3', { sql: 'select id from core_user limit 1', dialect: 'mysql' }],
    query_reports: [
      { short_name: 'by_state', params: { state: 'NY' } },
      { short_name: 'by_state', params: { state: ['NY', '5', 5], more: ' kept "as" it = is\n', none: null, '12': '007' } },
    ],
  });

  /** A browser has one kind of line ends. */
  const lines = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('\\r\\n', '\\n'));

  for (const side of SIDES)
    it(`are all those of the targeting, shown as they are stored, left when saved untouched, emptied and set (${side})`, async () => {
      const values = await something();
      deepEqual(Object.keys(values).sort(), [...TARGETING_FIELDS].sort());
      await use({ [side]: values });
      const before = await stored();
      deepEqual(before[side], values);
      const page = await open();
      const names = new Set(Object.keys(audienceIn(page)));
      for (const field of TARGETING_FIELDS) {
        ok(hidden(page).set[0]!.split(' ').includes(`${side}.${field}`), `the form takes ${side}.${field}`);
        ok(names.has(`${side}.${field}`), `the form shows ${side}.${field}`);
        // Another side is empty, and has the field, too.
        for (const each of SIDES) match(page, new RegExp(` name="${each}\\.${field}"`));
      }
      equal((await visitor.post(at, filled(page))).statusCode, 303);
      deepEqual(await stored(), before);
      equal((await visitor.post(at, hidden(page))).statusCode, 303);
      deepEqual((await stored())[side], {});
      const again = await visitor.post(at, { ...filled(page), targeting_version: hidden(await open()).targeting_version });
      equal(again.statusCode, 303, again.body);
      deepEqual(lines((await stored())[side]), lines(values));
    });

  it('are counted with what is in them, and named with what is wrong at the field and side it is of', async () => {
    await use({ includes: { lists: [1] } });
    await api.pool.query(`insert into core_subscription (user_id, list_id) select id, 1 from core_user;
      update core_user set subscription_status = 'subscribed', state = 'NY'`);
    const count = async (fields: Record<string, string | string[]>) => {
      const answer = await visitor.post(`${at}counts`, { ...hidden(await open()), ...fields });
      return { status: answer.statusCode, ...answer.json() };
    };
    const { problems, counts, people, words } = await count({
      'includes.users': [String(idIn(ann)), 'anna@example.org'],
      'excludes.query_reports': 'by_state',
      'excludes.query_reports.params': 'state = TX',
      'includes.raw_sql': 'select id from core_user',
    });
    equal(problems, undefined);
    deepEqual(counts, { 'includes.users': '2 people', 'includes.raw_sql': '2 people', 'excludes.query_reports': '0 people' });
    equal(people, '2');
    match(words, /is one of 2 people named.*found by the report by_state/s);
    equal((await count({ target_mergefile: 'yes', mergefile: '1' })).people, '0');
    match((await count({ target_mergefile: 'yes', mergefile: '1' })).words, /in the merge file/);
    deepEqual((await count({ target_mergefile: 'yes' })).problems, ['target_mergefile needs a mergefile.']);

    const refused = await visitor.post(at, {
      ...hidden(await open()),
      'includes.states': 'New York',
      'excludes.states': 'NY, Tex"as',
      'excludes.users': 'nobody@example.org',
      'includes.raw_sql': 'delete from core_user',
      'includes.query_reports': ['by_state', 'none'],
      'includes.query_reports.params': ['nothing', ''],
      'includes.campaign_radius': '-1',
      'excludes.campaign_samestate_only': 'yes',
    });
    equal(refused.statusCode, 400);
    for (const [field, wrong] of [
      ['includes-states', /It must hold a two-letter code each, not NEW YORK/],
      ['excludes-states', /It must hold a two-letter code each, not TEX/],
      ['includes-campaign_radius', /It must be miles/],
    ] as const)
      match(new RegExp(`id="${field}-hint">(.*?)</p>`, 's').exec(refused.body)?.[1] ?? '', wrong);
    match(refused.body, /It refers to nothing: there is no user nobody@example\.org/);
    match(refused.body, /It cannot be used\./);
    match(refused.body, /It has params|It must be an object|params/);
    const shown = audienceIn(refused.body);
    deepEqual(shown['excludes.states'], ['NY, "Tex""as"']);
    deepEqual(shown['excludes.users'], ['nobody@example.org']);
    deepEqual(shown['includes.raw_sql'], ['delete from core_user']);
    deepEqual(shown['includes.query_reports'], ['by_state', 'none']);
    deepEqual(shown['includes.query_reports.params'], ['nothing']);
    deepEqual(shown['includes.campaign_radius'], ['-1']);
    deepEqual(shown['excludes.campaign_samestate_only'], ['yes']);
    deepEqual((await stored()).includes, { lists: [1] });
  });

  it('of the mailing’s own page and file are set, shown and taken back, and kept audiences keep them', async () => {
    const landing = await api.create('signuppage', { name: 'land', title: 'Land' });
    await use({ landing_page: landing.replace('signuppage', 'page') });
    const page = await open();
    const set = { target_mergefile: 'yes', mergefile: '1', target_group_from_landing_page: 'yes' };
    equal((await visitor.post(at, { ...filled(page), ...set })).statusCode, 303);
    const after = await stored();
    deepEqual([after.target_mergefile, after.mergefile_id, after.target_group_from_landing_page], [true, 1, true]);
    const { target_mergefile, mergefile, target_group_from_landing_page } = audienceIn(await open());
    deepEqual([target_mergefile, mergefile, target_group_from_landing_page], [['yes'], ['1'], ['yes']]);
    const send = async (what: string, fields: Record<string, string>) => {
      const { _csrf, targeting_version } = hidden(await open());
      return visitor.post(at + what, { _csrf, targeting_version, ...fields });
    };
    equal((await send('keep', { keep_as: 'With seats' })).statusCode, 303);
    const model = (await api.pool.query(`select max(id) as id from core_mailing where status = 'model'`)).rows[0].id;
    equal((await visitor.post(at, { ...hidden(await open()) })).statusCode, 303);
    equal((await stored()).target_mergefile, false);
    equal((await send('take', { take_from: String(model) })).statusCode, 303);
    deepEqual([(await stored()).target_mergefile, (await stored()).mergefile_id], [true, 1]);
    // Without its page, nobody is meant by it: that is refused.
    await use();
    const none = await visitor.post(at, { ...filled(await open()), target_group_from_landing_page: 'yes' });
    equal(none.statusCode, 400);
    match(none.body, /id="target_group_from_landing_page-hint">.*needs a landing_page/);
  });

  it('that an account may not set are described, stay, and are refused when sent anyway', async () => {
    const { users, raw_sql, query_reports } = await something();
    await use({ excludes: { users, raw_sql, query_reports, lists: [1] } });
    const before = await stored();
    const writer = await account('writer', ['mailer:read', 'mailer:write']);
    const page = await open(writer);
    doesNotMatch(page, /name="(in|ex)cludes\.(users|raw_sql|query_reports)"|data-search="users"|ann@example/);
    match(page, /is one person named/);
    match(page, /is found by the report by_state/);
    equal((await writer.post(at, { ...filled(page), limit: '9' })).statusCode, 303);
    deepEqual((await stored()).excludes, before.excludes);
    const wrong = await writer.post(at, { ...filled(await open(writer)), 'includes.states': 'Nowhere' });
    equal(wrong.statusCode, 400);
    equal((await writer.post(at, { ...filled(wrong.body), 'includes.states': 'NY' })).statusCode, 303);
    deepEqual((await stored()).excludes, before.excludes);
    for (const fields of [
      { 'includes.users': 'anna@example.org' },
      { 'includes.raw_sql': 'select 1' },
      { 'includes.query_reports': 'by_state', 'includes.query_reports.params': 'state = NY' },
    ] as Record<string, string>[]) {
      equal((await writer.post(at, { ...filled(await open(writer)), ...fields })).statusCode, 403, JSON.stringify(fields));
      equal((await writer.post(`${at}counts`, { ...filled(await open(writer)), ...fields })).statusCode, 403);
    }
    const token = { _csrf: hidden(await open(writer))._csrf };
    equal((await writer.post('/console/choices/users', { ...token, q: 'ann' })).statusCode, 403);
    equal((await writer.get('/console/choices/query_reports?q=by')).statusCode, 403);
    // Nor does a form that was made before it had a field take that away.
    const { _csrf, targeting_version } = hidden(await open());
    equal((await visitor.post(at, { _csrf, targeting_version, limit: '4' })).statusCode, 303);
    deepEqual((await stored()).excludes, before.excludes);
  });

  it('do not offer to pick the people of a merge file out to an account that may not read people', async () => {
    const files = await account('filer', ['mailer:read', 'mailer:write', 'mergefile:read']);
    await use({});
    doesNotMatch(await open(files), /name="target_mergefile"/);
    equal((await files.post(at, { ...filled(await open(files)), mergefile: '1', target_mergefile: 'yes' })).statusCode, 403);
    await api.call('PATCH', uri, { mergefile: '/rest/v1/mergefile/1/', target_mergefile: true });
    const page = await open(files);
    match(page, /name="target_mergefile"/);
    doesNotMatch(page, /name="mergefile"/);
    equal((await files.post(at, { ...filled(page), limit: '8' })).statusCode, 303);
    deepEqual([(await stored()).target_mergefile, (await stored()).mergefile_id, (await api.read(uri)).limit], [true, 1, 8]);
  });

  it('offer what there is as somebody types: places, people, reports', async () => {
    await api.pool.query(`
      insert into geo_zipplace (zip, kind, place) values ('12207', 'us_county', 'Albany'), ('97321', 'us_county', 'Linn'), ('12207', 'us_district', 'NY_20');
      update core_user set country = 'United States', region = 'Upstate', state = 'ny' where email = 'ann@example.org';
      update core_user set country = 'Korea, Republic of', state = 'Somewhere' where email = 'anna@example.org';
      insert into core_location (user_id, us_state_senate, us_county) select id, 'NY_044', 'Saratoga' from core_user where email = 'ann@example.org'
        on conflict (user_id) do update set us_state_senate = 'NY_044', us_county = 'Saratoga'`);
    const offered = async (kind: string, q: string) => {
      const answer = await visitor.get(`/console/choices/${kind}?${new URLSearchParams({ q })}`);
      equal(answer.statusCode, 200, answer.body);
      return answer.json().found.map(({ value }: { value: string }) => value);
    };
    deepEqual((await offered('states', 'new y'))[0], 'NY');
    deepEqual((await offered('states', 'ny'))[0], 'NY');
    deepEqual(await offered('countries', 'korea'), ['Korea, Republic of']);
    deepEqual(await offered('countries', 'united'), ['United States']);
    deepEqual(await offered('regions', 'up'), ['Upstate']);
    deepEqual(await offered('counties', 'a'), ['Albany', 'Saratoga']);
    deepEqual(await offered('cds', 'ny_'), ['NY_20']);
    deepEqual(await offered('state_senate_districts', '44'), ['NY_044']);
    deepEqual(await offered('state_house_districts', ''), []);
    deepEqual((await offered('zips', 'albany, n')).includes('Albany, NY'), true);
    deepEqual(await offered('query_reports', 'of a'), ['by_state']);
    const { found } = (await visitor.get('/console/choices/query_reports?q=by_')).json();
    deepEqual(found, [{ value: 'by_state', name: 'by_state · Of a state', parameters: ['state'] }]);
    const people = await visitor.post('/console/choices/users', { _csrf: hidden(await open())._csrf, q: 'smi' });
    deepEqual(people.json(), { found: [{ id: idIn(ann), name: 'Ann Smith · ann@example.org' }], more: false });
  });

  it('name what is chosen and hidden, and offer it nowhere', async () => {
    const list = await api.create('list', { name: 'Founders' });
    await use({ includes: { lists: [idIn(list)], users: [idIn(ann)] } });
    await api.pool.query('update core_list set hidden = true where id = $1', [idIn(list)]);
    const page = await open();
    match(page, new RegExp(`name="includes.lists" value="${idIn(list)}" checked> Founders<`));
    doesNotMatch(page, new RegExp(`name="excludes.lists" value="${idIn(list)}"`));
    match(page, /checked> Ann Smith · ann@example\.org</);
    deepEqual((await visitor.get('/console/choices/lists?q=found')).json().found, []);
    // Taken away, it cannot be had again by a search; a reader who may not read people is told how many.
    const reader = await account('reader', ['mailer:read']);
    match(await open(reader), /> Founders</);
    doesNotMatch(await open(reader), /ann@example/);
  });

  it('with more chosen than can be shown one by one are described, and stay', async () => {
    await api.pool.query(`insert into core_user (email) select 'many' || i || '@example.org' from generate_series(1, 1500) i`);
    const { rows } = await api.pool.query(`select id from core_user where email like 'many%'`);
    await use({ excludes: { users: rows.map((row) => row.id) } });
    const page = await open();
    match(page, /is one of 1500 people named/);
    doesNotMatch(page, /many\d+@/);
    equal((await visitor.post(at, { ...filled(page), limit: '3' })).statusCode, 303);
    equal((await stored()).excludes.users.length, 1500);
    // What somebody has sent is shown whole.
    await use({ excludes: { users: [rows[0].id] } });
    const sent = { ...filled(await open()), 'excludes.users': rows.map((row) => String(row.id)), limit: 'x' };
    const refused = await visitor.post(at, sent);
    equal(refused.statusCode, 400);
    equal(audienceIn(refused.body)['excludes.users']!.length, 1500);
    await use({ excludes: { users: rows.map((row) => row.id) } });
    equal(await buildSet(api, uri), 2);
  });
});
