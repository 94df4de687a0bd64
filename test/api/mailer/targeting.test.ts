import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { prepareStatement } from '../../../core/reports/prepare.ts';
import { MAILING_STATUSES } from '../../../domain/words.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';

describe('the targeting of a mailing', () => {
  let api: TestApi;
  const uris: Record<string, string> = {};
  before(async () => {
    api = await startApi();
    await insertPeople(api.pool, [
      { id: 1, email: 'one@example.org' },
      { id: 2, email: 'two@example.org' },
    ]);
    uris['news'] = await api.create('list', { name: 'News' });
    uris['alerts'] = await api.create('list', { name: 'Alerts' });
    uris['climate'] = await api.create('tag', { name: 'climate' });
    uris['english'] = await api.create('language', { name: 'English', iso_code: 'en' });
    uris['join'] = await api.create('signuppage', { name: 'join' });
    uris['report'] = await api.create('queryreport', {
      name: 'Some',
      short_name: 'some',
      sql: 'select id from core_user where id > {{ low }}',
    });
  });
  after(() => api.close());

  const idIn = (uri: string) => Number(uri.split('/').at(-2));
  const make = (more: object = {}) => api.create('mailer', { subjects: ['Hello'], ...more });
  const patch = (uri: string, body: unknown, headers = {}) => api.call('PATCH', uri, body, headers);
  const versions = async (uri: string) => {
    const { targeting_version, query_status } = await api.read(uri);
    return [targeting_version, query_status];
  };
  /** As after a rebuild. */
  const save = (uri: string) =>
    api.pool.query(
      `update core_mailing set query_status = 'saved', saved_count = 1, targeting_version_saved = targeting_version where id = $1`,
      [idIn(uri)],
    );

  it('takes lists, tags, languages and pages by name, id, URI and absolute URL, and shows names', async () => {
    const forms = (key: string, name: string) => [
      name,
      idIn(uris[key]!),
      uris[key],
      `${api.env.BASE_URL}${uris[key]}`,
      String(idIn(uris[key]!)),
    ];
    for (const [field, key, name] of [
      ['lists', 'news', 'News'],
      ['tags', 'climate', 'climate'],
      ['languages', 'english', 'English'],
      ['actions', 'join', 'join'],
    ] as const) {
      for (const form of forms(key, name)) {
        for (const side of ['includes', 'excludes']) {
          const shown = await api.read(await make({ [side]: { [field]: [form] } }));
          assert.deepEqual(shown[side], { [field]: [name] }, `${side} ${field} ${form}`);
        }
      }
    }
    const mixed = await api.read(await make({ includes: { lists: [uris['alerts'], 'News', idIn(uris['alerts']!)] } }));
    assert.deepEqual(mixed.includes.lists, ['Alerts', 'News']);
    const pages = [uris['join']!, uris['join']!.replace('signuppage', 'page'), idIn(uris['join']!), 'join'];
    assert.deepEqual((await api.read(await make({ includes: { actions: pages } }))).includes.actions, ['join']);
  });

  it('shows mailings as ids and users as URIs', async () => {
    const other = await make();
    const shown = await api.read(
      await make({ includes: { users: [2, '/rest/v1/user/1/', 'TWO@example.org'] }, excludes: { mailings: [other, idIn(other)] } }),
    );
    assert.deepEqual(shown.includes, { users: ['/rest/v1/user/2/', '/rest/v1/user/1/'] });
    assert.deepEqual(shown.excludes, { mailings: [idIn(other)] });
    const low = await api.read(await make({ includes: { mailings: [`/rest/v1/mailing/${idIn(other)}/`] } }));
    assert.deepEqual(low.includes, { mailings: [idIn(other)] });
  });

  it('takes plain values in their forms', async () => {
    const includes = {
      states: ['ny', 'CA', 'NY'],
      countries: ['United States', ' Canada '],
      regions: ['Bavaria'],
      zips: ['10001', 10002, 501, '10003-1234', '100*', '10001 - 10099'],
      counties: ['Kings'],
      cds: ['ny_12', 'AK_00'],
      state_house_districts: ['NY_012'],
      state_senate_districts: ['NY_001'],
      has_donated: false,
      was_monthly_donor: ['active', 'canceled_last_7_days'],
      raw_sql: ['select id from core_user'],
      query_reports: [{ short_name: 'some', params: { low: 5 } }],
    };
    const shown = await api.read(await make({ includes }));
    assert.deepEqual(shown.includes, {
      states: ['NY', 'CA'],
      countries: ['United States', 'Canada'],
      regions: ['Bavaria'],
      zips: ['10001', '10002', '00501', '10003', '100*', '10001-10099'],
      counties: ['Kings'],
      cds: ['NY_12', 'AK_00'],
      state_house_districts: ['NY_012'],
      state_senate_districts: ['NY_001'],
      has_donated: false,
      was_monthly_donor: ['active', 'canceled_last_7_days'],
      raw_sql: ['select id from core_user'],
      query_reports: [{ short_name: 'some', params: { low: 5 } }],
    });
  });

  it('takes places, campaigns and target groups in their forms, and keeps a radius without what it is around', async () => {
    const campaign = await api.create('campaign', { name: 'canvass' });
    const group = await api.create('specialtargetgroup', { name: 'Some' });
    const uri = await make({
      includes: {
        zips: ['albany ,ny', '12207', 'Albany NY', ' Springfield,  Illinois ', 'Los Angeles CA'],
        zip_radius: '25',
        campaigns: ['canvass', campaign, idIn(campaign)],
        campaign_radius: 10.5,
        campaign_same_county_only: true,
        campaign_samestate_only: false,
        target_groups: [group],
      },
    });
    const groupUri = `/rest/v1/targetgroup/${idIn(group)}/`;
    const places = { zips: ['albany, NY', '12207', 'Springfield, IL', 'Los Angeles, CA'], zip_radius: 25 };
    assert.deepEqual((await api.read(uri)).includes, {
      ...places,
      campaigns: ['canvass'],
      campaign_radius: 10.5,
      campaign_same_county_only: true,
      target_groups: [groupUri],
    });
    assert.equal((await patch(uri, { includes: { campaigns: [], target_groups: null } })).statusCode, 202);
    const near = { campaign_radius: 10.5, campaign_same_county_only: true };
    assert.deepEqual((await api.read(uri)).includes, { ...places, ...near });
    const nowhere = await patch(uri, { includes: { zips: ['12207', '00000'] } });
    assert.match(String(nowhere.json().errors.zip_radius), /cannot be measured from 00000/);
    assert.deepEqual((await api.read(uri)).includes, { ...places, ...near });
    assert.equal((await patch(uri, { includes: { zips: null, campaign_same_county_only: false } })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).includes, { zip_radius: 25, campaign_radius: 10.5 });
  });

  it('goes to nobody with a radius of nothing: it is neither built, counted, queued nor made to recur', async () => {
    const uri = await make({ html: '<p>x</p>', fromline: 'ann@example.org', rebuild_query_at_send: true });
    assert.equal((await patch(uri, { includes: { campaign_radius: 25 } })).statusCode, 202);
    assert.equal((await patch(uri, { excludes: { zip_radius: 5 } })).statusCode, 202);
    assert.deepEqual(await versions(uri), [3, 'none']);
    const errors = {
      campaign_radius: ['includes: campaign_radius says nothing without campaigns.'],
      zip_radius: ['excludes: zip_radius says nothing without zips.'],
    };
    for (const [method, url, body] of [
      ['POST', `${uri}rebuild/`],
      ['GET', `${uri}audience/`],
      ['POST', `${uri}queue/`],
      ['POST', '/rest/v1/recurringschedule/', { mailing: uri, period: 'daily' }],
    ] as const) {
      const answer = await api.call(method, url, body);
      assert.equal(answer.statusCode, 400, `${url} ${answer.body}`);
      const told = answer.json().errors ?? Object.values(answer.json())[0];
      assert.deepEqual(told, errors, url);
    }
    assert.deepEqual([(await api.read(uri)).status, ...(await versions(uri))], ['draft', 3, 'none']);
    await api.create('campaign', { name: 'walk' });
    assert.equal((await patch(uri, { includes: { campaigns: ['walk'] }, excludes: { zips: ['10001'] } })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).includes, { campaigns: ['walk'], campaign_radius: 25 });
    assert.equal((await api.call('GET', `${uri}audience/`)).statusCode, 200);
    assert.equal((await api.call('POST', `${uri}rebuild/`)).statusCode, 201);
  });

  it('is narrowed by the landing page and the mergefile only where there is one, whose change counts as one of targeting', async () => {
    const uri = await make();
    for (const [flag, needed] of [
      ['target_group_from_landing_page', 'landing_page'],
      ['target_mergefile', 'mergefile'],
    ] as const) {
      const refused = await patch(uri, { [flag]: true });
      assert.equal(refused.statusCode, 400);
      assert.match(String(refused.json().errors[flag]), new RegExp(`needs a ${needed}`));
    }
    assert.equal((await patch(uri, { target_group_from_landing_page: true, landing_page: uris['join'] })).statusCode, 202);
    assert.deepEqual(await versions(uri), [2, 'none']);
    const other = await api.create('signuppage', { name: 'other' });
    await patch(uri, { landing_page: other });
    assert.deepEqual(await versions(uri), [3, 'none']);
    assert.equal((await patch(uri, { landing_page: null })).statusCode, 400);
    await patch(uri, { target_group_from_landing_page: false });
    assert.equal((await patch(uri, { landing_page: null })).statusCode, 202);
    assert.deepEqual(await versions(uri), [4, 'none']);
  });

  it('answers an unknown list with a single text', async () => {
    for (const side of ['includes', 'excludes']) {
      for (const list of ['Nosuch', 999_999, '/rest/v1/list/999999/', '/rest/v1/tag/1/']) {
        const answer = await api.call('POST', '/rest/v1/mailer/', { subjects: ['x'], [side]: { lists: ['News', list] } });
        assert.equal(answer.statusCode, 400);
        assert.equal(typeof answer.json().errors, 'string');
        assert.ok(answer.json().errors.includes(String(list)), answer.body);
      }
    }
  });

  const wrong: [field: string, value: unknown, message: RegExp][] = [
    ['lists', 'News', /must be a list/],
    ['lists', [{}], /names, ids or URIs/],
    ['lists', [null], /names, ids or URIs/],
    ['tags', ['nosuch'], /refers to nothing: nosuch/],
    ['languages', ['en'], /refers to nothing/],
    ['actions', ['nosuch'], /refers to nothing/],
    ['mailings', ['a name'], /must be a URI/],
    ['mailings', [999_999], /no mailing 999999/],
    ['mailings', [9_999_999_999], /refers to nothing/],
    ['users', ['nobody@example.org'], /no user nobody/],
    ['users', ['x'], /must be a URI/],
    ['users', [true], /must be a URI/],
    ['states', ['New York'], /two-letter/],
    ['states', [5], /strings/],
    ['states', 'NY', /must be a list/],
    ['states', { 0: 'NY' }, /must be a list/],
    ['countries', [''], /blank/],
    ['countries', ['x\0'], /NUL/],
    ['zips', ['Nowhere at all, IL'], /no city Nowhere/],
    ['zips', ['Springfield, Nowhere'], /no city/],
    ['zips', ['Springfield'], /no city/],
    ['zips', ['Albany, NY, US'], /no city/],
    ['zips', [', IL'], /five digits/],
    ['zips', ['1234567'], /five digits/],
    ['zips', ['*'], /five digits/],
    ['zips', [1.5], /must be a string/],
    ['raw_sql', ['delete from core_user'], /Only SELECT/],
    ['raw_sql', ['select 1; drop table core_user'], /One statement/],
    ['raw_sql', ['select from where'], /not valid SQL/],
    ['raw_sql', 'select 1', /must be a list/],
    ['raw_sql', ['select \0'], /NUL/],
    ['query_reports', ['some'], /short_name and params/],
    ['query_reports', [{ short_name: 'nosuch' }], /no report nosuch/],
    ['query_reports', [{ short_name: 'some' }], /needs params of some: low/],
    ['query_reports', [{ short_name: 'some', params: { low: {} } }], /neither/],
    ['query_reports', [{ short_name: 'some', params: { low: 1 }, more: 1 }], /more/],
    ['query_reports', [{ short_name: 'some', params: [1] }], /object/],
    ['stats', ['NY'], /no field stats/],
    ['limit', 5, /no field limit/],
    ['toString', 5, /no field toString/],
    ['cds', ['NY_1'], /a district like NY_12/],
    ['cds', ['New York'], /a district like NY_12/],
    ['state_house_districts', ['NY_12'], /a district like NY_012/],
    ['state_senate_districts', [12], /strings/],
    ['counties', [''], /blank/],
    ['has_donated', 'yes', /true or false/],
    ['has_donated', [], /true or false/],
    ['was_monthly_donor', ['sometimes'], /expires_this_month/],
    ['was_monthly_donor', 'any', /must be a list/],
    ['zip_radius', 0, /above zero/],
    ['zip_radius', 501, /at most 500/],
    ['zip_radius', [5], /must be a/],
    ['target_groups', ['/rest/v1/targetgroup/999999/'], /refers to nothing/],
    ['target_groups', 5, /must be a list/],
    ['campaigns', ['nosuch'], /refers to nothing/],
    ['campaign_radius', 'near', /must be a/],
    ['campaign_same_county_only', 'yes', /true or false/],
  ];
  for (const [field, value, message] of wrong) {
    it(`is refused for ${field} ${JSON.stringify(value)} on either side, whatever else is sent, and nothing changes`, async () => {
      const uri = await make({ includes: { states: ['NY'] } });
      const before = await api.read(uri);
      for (const side of ['includes', 'excludes']) {
        const answer = await patch(uri, { notes: 'x', [side]: { countries: ['Canada'], [field]: value } });
        assert.equal(answer.statusCode, 400, answer.body);
        assert.match(String(answer.json().errors[field]), message);
        assert.ok(String(answer.json().errors[field]).includes(side));
      }
      assert.deepEqual(await api.read(uri), before);
    });
  }

  it('replaces the sub-fields sent and keeps the others', async () => {
    const uri = await make({ includes: { states: ['NY'], lists: ['News'] }, excludes: { zips: ['10001'] } });
    assert.equal((await patch(uri, { includes: { states: ['CA'] } })).statusCode, 202);
    let shown = await api.read(uri);
    assert.deepEqual([shown.includes, shown.excludes], [{ states: ['CA'], lists: ['News'] }, { zips: ['10001'] }]);
    await patch(uri, { includes: { lists: [] }, excludes: { zips: null } });
    shown = await api.read(uri);
    assert.deepEqual([shown.includes, shown.excludes], [{ states: ['CA'] }, {}]);
  });

  it('raises the version once for each real change, and never for none', async () => {
    const uri = await make({ includes: { states: ['NY', 'CA'] }, limit: 10 });
    assert.deepEqual(await versions(uri), [1, 'none']);
    const same = [
      { includes: { states: ['CA', 'NY'] } },
      { includes: { states: ['ny', 'ca', 'NY'] } },
      { includes: {} },
      { includes: { zips: [] } },
      { includes: { has_donated: null } },
      { limit: 10 },
      { limit: '10' },
      { sort_by: null },
      { mails_per_second: null },
      { target_mergefile: false },
      { notes: 'x', html: 'x', scheduled_for: '2031-01-01T00:00:00' },
    ];
    for (const body of same) {
      assert.equal((await patch(uri, body)).statusCode, 202);
      assert.deepEqual(await versions(uri), [1, 'none'], JSON.stringify(body));
    }
    const changes = [
      { includes: { states: ['NY'] } },
      { excludes: { zips: ['10001'] } },
      { excludes: { has_donated: true } },
      { excludes: { has_donated: false } },
      { limit: 11 },
      { sort_by: 'zip' },
      { mails_per_second: 2.5 },
      { limit: null, sort_by: null, includes: { states: [] }, excludes: { zips: [], has_donated: null } },
    ];
    for (const [index, body] of changes.entries()) {
      await patch(uri, body);
      assert.deepEqual(await versions(uri), [index + 2, 'none'], JSON.stringify(body));
    }
  });

  it('makes the saved set invalid, also of mailings that include or exclude this one', async () => {
    const uri = await make();
    const including = await make({ includes: { mailings: [uri] } });
    const excluding = await make({ excludes: { mailings: [uri] } });
    const apart = await make({ includes: { mailings: [excluding] } });
    for (const each of [uri, including, excluding, apart]) await save(each);
    await patch(uri, { notes: 'no targeting' });
    assert.deepEqual(await versions(including), [1, 'saved']);
    await patch(uri, { limit: 5 });
    for (const each of [uri, including, excluding]) {
      assert.deepEqual(await versions(each), [2, 'invalid']);
      assert.equal((await api.read(each)).targeting_version_saved, 1);
    }
    assert.deepEqual(await versions(apart), [1, 'saved']);
  });

  it('leaves those alone that are queued, being sent or completed, to whose audience somebody has agreed', async () => {
    const uri = await make();
    const dependent = await make({ excludes: { mailings: [uri] } });
    for (const [index, status] of MAILING_STATUSES.entries()) {
      await save(dependent);
      await api.pool.query('update core_mailing set status = $2 where id = $1', [idIn(dependent), status]);
      const [before] = await versions(dependent);
      await patch(uri, { limit: index + 1 });
      const left = ['queued', 'rebuilding_at_send', 'sending', 'completed'].includes(status);
      assert.deepEqual(await versions(dependent), left ? [before, 'saved'] : [before + 1, 'invalid'], status);
      assert.equal((await api.read(dependent)).status, status);
    }
  });

  it('leaves a build under way to find its version out of date', async () => {
    const uri = await make();
    await api.pool.query(`update core_mailing set query_status = 'rebuilding' where id = $1`, [idIn(uri)]);
    await patch(uri, { limit: 5 });
    assert.deepEqual(await versions(uri), [2, 'rebuilding']);
  });

  it('is guarded by its version: 409 when it is stale, and nothing changes', async () => {
    const uri = await make({ includes: { states: ['NY'] } });
    assert.equal((await patch(uri, { limit: 5, targeting_version: 1 })).statusCode, 202);
    const before = await api.read(uri);
    const stale = await patch(uri, { limit: 6, notes: 'x', targeting_version: 1 });
    assert.equal(stale.statusCode, 409);
    assert.ok(stale.json().errors.targeting_version);
    // With nothing beside it, too: that comes first.
    assert.equal((await patch(uri, { targeting_version: 99 })).statusCode, 409);
    assert.equal((await patch(uri, { targeting_version: 2 })).statusCode, 400);
    assert.deepEqual(await api.read(uri), before);
    assert.equal((await patch(uri, { notes: 'y', targeting_version: '2' })).statusCode, 202);
    assert.deepEqual(await versions(uri), [2, 'none']);
    assert.equal((await patch(uri, { notes: 'y', targeting_version: 'two' })).statusCode, 400);
  });

  it('raises the version for each of many changes at once', async () => {
    const uri = await make();
    const partner = await make({ includes: { mailings: [uri] } });
    await patch(uri, { includes: { mailings: [partner] } });
    const [from] = await versions(uri);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => patch(index % 2 ? uri : partner, { limit: index + 1 })));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [202]);
    assert.deepEqual(await versions(uri), [from + 10, 'none']);
  });

  it('keeps deleted lists, which match nobody, and shows them by id', async () => {
    const list = await api.create('list', { name: 'Short-lived' });
    const uri = await make({ includes: { lists: [list] } });
    await api.call('DELETE', list);
    assert.deepEqual((await api.read(uri)).includes, { lists: [idIn(list)] });
  });

  it('takes what is gone back as it was read, where it stands already, and nowhere else', async () => {
    const list = await api.create('list', { name: 'Gone' });
    const tag = await api.create('tag', { name: 'gone' });
    const group = await api.create('congresstargetgroup', { name: 'gone', type: 'congress', targets: [] });
    const uri = await make({ includes: { lists: [list, 'News'], tags: [tag], target_groups: [group] }, excludes: { lists: [list] } });
    await save(uri);
    for (const gone of [list, tag, group]) assert.equal((await api.call('DELETE', gone)).statusCode, 204);
    const whole = await api.read(uri);
    assert.deepEqual(whole.includes.lists, [idIn(list), 'News']);
    const before = await versions(uri);
    const plain = uri.replace('mailer', 'mailing');
    for (const [method, at, body] of [
      ['PATCH', uri, whole],
      ['PATCH', plain, await api.read(plain)],
      ['PUT', plain, await api.read(plain)],
    ] as const) {
      const answer = await api.call(method, at, body);
      assert.equal(answer.statusCode, 202, answer.body);
    }
    assert.deepEqual(
      [await versions(uri), (await api.read(uri)).includes, (await api.read(uri)).excludes],
      [before, whole.includes, whole.excludes],
    );
    // By its name, on another side or in another mailing it would be somebody's mistake.
    for (const includes of [{ lists: ['Gone'] }, { lists: [String(idIn(list) + 500)] }, { lists: [idIn(list) + 500] }])
      assert.equal((await patch(uri, { includes })).statusCode, 400);
    assert.equal((await patch(uri, { excludes: { tags: [idIn(tag)] } })).statusCode, 400);
    assert.equal((await patch(await make(), { includes: { lists: [idIn(list)] } })).statusCode, 400);
    assert.equal((await patch(uri, { includes: { lists: ['News'] } })).statusCode, 202);
    assert.equal((await patch(uri, { includes: { lists: [idIn(list)] } })).statusCode, 400, 'nor once it was taken away');
  });

  it('takes people and reports that are gone back as they were read, where they stand already, and nowhere else', async () => {
    const person = await api.create('user', { email: 'gone@example.org' });
    const report = await api.create('queryreport', { name: 'Gone', short_name: 'gone', sql: 'select id from core_user' });
    const reports = [{ short_name: 'gone', params: {} }];
    const named = { users: [person], query_reports: reports };
    const uri = await make({ includes: named, excludes: { users: [person] }, proof_users: [person, '/rest/v1/user/1/'] });
    await save(uri);
    for (const gone of [person, report]) assert.equal((await api.call('DELETE', gone)).statusCode, 204);
    const whole = await api.read(uri);
    assert.deepEqual(whole.includes, named);
    const before = await versions(uri);
    const answer = await patch(uri, whole);
    assert.equal(answer.statusCode, 202, answer.body);
    const { updated_at: _, ...after } = await api.read(uri);
    const { updated_at: __, ...shown } = whole;
    assert.deepEqual([after, await versions(uri)], [shown, before]);
    assert.equal((await patch(uri, { excludes: { query_reports: reports } })).statusCode, 400);
    assert.equal((await patch(await make(), { includes: { users: [person] } })).statusCode, 400);
    assert.equal((await patch(await make(), { proof_users: [person] })).statusCode, 400);
    assert.equal((await patch(uri, { includes: { query_reports: [{ short_name: 'gone', params: { low: 1 } }] } })).statusCode, 400);
    assert.equal((await patch(uri, { proof_users: ['/rest/v1/user/1/'] })).statusCode, 202);
    assert.equal((await patch(uri, { proof_users: [person] })).statusCode, 400, 'nor once they were taken away');
  });

  it('takes a report back as it was read that asks for more since', async () => {
    const report = await api.create('queryreport', { name: 'More', short_name: 'more', sql: 'select id from core_user' });
    const uri = await make({ includes: { query_reports: [{ short_name: 'more' }] } });
    await api.call('PATCH', report, { sql: 'select id from core_user where id > {{ low }}' });
    assert.equal((await patch(uri, await api.read(uri))).statusCode, 202);
    assert.equal((await patch(await make(), { includes: { query_reports: [{ short_name: 'more' }] } })).statusCode, 400);
  });

  /** Does `work` while statements of an account fill the line of those that wait to be read: for each that was read, or has found no room, another one comes. */
  async function whileLineIsFull<Result>(account: number, work: () => Promise<Result>): Promise<Result> {
    let [told, over] = [0, false];
    const others = Promise.all(
      Array.from({ length: 70 }, async (_, n) => {
        for (let round = 0; !over; round++) {
          const sql = `select id from core_user where id in (${Array(9_000).fill('1').join()}) limit ${n + 70 * round}`;
          await prepareStatement({ sql, dialect: 'postgresql' }, {}, account).catch(() => told++);
          await setImmediate();
        }
      }),
    );
    while (told === 0) await setImmediate();
    try {
      return await work();
    } finally {
      over = true;
      await others;
    }
  }
  const LONG = `select id from core_user where id in (${Array(9_000).fill('2').join()})`;

  it('tells who writes raw_sql to come again while too many statements are being read, not that theirs is wrong', async () => {
    const uri = await make();
    const admin: number = (await api.read('/rest/v1/authuser/?username=admin')).objects[0].id;
    const answer = await whileLineIsFull(admin, () => patch(uri, { includes: { raw_sql: [LONG] } }));
    assert.equal(answer.statusCode, 503, answer.body);
    assert.match(answer.json().errors.service[0], /Too many statements are being read/);
    assert.equal((await patch(uri, { includes: { raw_sql: [LONG] } })).statusCode, 202);
  });

  it('reads the raw_sql of one account while another has filled the line of those that wait', async () => {
    const uri = await make();
    const answer = await whileLineIsFull(999, () => patch(uri, { includes: { raw_sql: [`${LONG} limit 1`] } }));
    assert.equal(answer.statusCode, 202, answer.body);
  });

  it('asks for the grant report:sql to write raw_sql, not to keep it', async () => {
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:read', 'mailer:write'] });
    await api.create('authuser', { username: 'writer', password: 'writer-password', groups: [group] });
    const headers = { authorization: basic({ username: 'writer', password: 'writer-password' }) };
    const uri = await make({ includes: { raw_sql: ['select 1'] } });
    for (const side of ['includes', 'excludes']) {
      const answer = await patch(uri, { [side]: { raw_sql: ['select 1', 'select 2'] } }, headers);
      assert.equal(answer.statusCode, 403);
      assert.deepEqual(answer.json().errors.permission, ['report:sql']);
    }
    assert.equal((await patch(uri, { includes: { raw_sql: ['select 1'] }, notes: 'mine' }, headers)).statusCode, 202);
    assert.equal((await patch(uri, { includes: { raw_sql: [] } }, headers)).statusCode, 202);
    const create = (...raw_sql: string[]) => api.call('POST', '/rest/v1/mailer/', { subjects: ['x'], includes: { raw_sql } }, headers);
    assert.equal((await create('select 1')).statusCode, 403);
    // Nobody reads what they may not write.
    assert.equal((await create('not even SQL')).statusCode, 403);
    assert.equal((await patch(uri, { includes: { raw_sql: ['not even SQL'] } }, headers)).statusCode, 403);
  });

  it('reads statements of raw_sql while nobody waits for the mailing, and those stored no more', async () => {
    const uri = await make();
    const id = idIn(uri);
    const long = (first: number) => `select ${first} where 1 in (${Array.from({ length: 9000 }, (_, n) => n).join()})`;
    let [took, turns, longest] = [0, 0, 0];
    // Again where the machine had much else to do, with others each time.
    for (let tries = 0; tries < 6 && !(turns > 3 && longest < took / 2); tries++) {
      const began = performance.now();
      let over = false;
      const answer = patch(uri, { includes: { raw_sql: [long(2 * tries), long(2 * tries + 1)] } }).finally(() => {
        over = true;
      });
      for ([turns, longest] = [0, 0]; !over; turns++) {
        const asked = performance.now();
        await api.pool.query('select from core_mailing where id = $1 for update', [id]);
        longest = Math.max(longest, performance.now() - asked);
      }
      assert.equal((await answer).statusCode, 202);
      took = performance.now() - began;
    }
    assert.ok(turns > 3 && longest < took / 2, `${Math.round(longest)} of ${Math.round(took)} ms, ${turns} times`);
    // Checked when it was written; what runs it looks again.
    await api.pool.query('update core_mailing set includes = $2 where id = $1', [id, JSON.stringify({ raw_sql: ['kept from before'] })]);
    assert.equal((await patch(uri, { includes: { raw_sql: ['kept from before', 'select 3'] } })).statusCode, 202);
  });

  it('takes so many characters of raw_sql and no more', async () => {
    const raw_sql = Array.from({ length: 100 }, (_, n) => `select ${n} -- ${'x'.repeat(1000)}`);
    for (const side of ['includes', 'excludes']) {
      const refused = await patch(await make(), { [side]: { raw_sql } });
      assert.equal(refused.statusCode, 400);
      assert.deepEqual(refused.json().errors.raw_sql, [`${side}: raw_sql must not have more than 100000 characters together.`]);
    }
    assert.equal((await patch(await make(), { includes: { raw_sql: raw_sql.slice(50) } })).statusCode, 202);
  });

  it('asks for the grant report:read to name a report, whose count tells of who is named in its params; not to keep it', async () => {
    const group = await api.create('authgroup', { name: 'counters', grants: ['mailer:read', 'mailer:write'] });
    await api.create('authuser', { username: 'counter', password: 'counter-password', groups: [group] });
    const headers = { authorization: basic({ username: 'counter', password: 'counter-password' }) };
    const report = (low: number) => ({ query_reports: [{ short_name: 'some', params: { low } }] });
    const uri = await make({ includes: report(1) });
    for (const side of ['includes', 'excludes']) {
      const answer = await patch(uri, { [side]: report(2) }, headers);
      assert.deepEqual([answer.statusCode, answer.json().errors.permission], [403, ['report:read']]);
    }
    assert.equal((await patch(uri, { includes: report(1), notes: 'mine' }, headers)).statusCode, 202);
    await api.call('PATCH', group, { grants: ['mailer:read', 'mailer:write', 'report:read'] });
    assert.equal((await patch(uri, { includes: report(2) }, headers)).statusCode, 202);
  });
});
