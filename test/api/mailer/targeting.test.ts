import assert from 'node:assert/strict';
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

  it('takes places, campaigns and target groups in their forms, and forgets a radius with what it is around', async () => {
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
    const places = { zips: ['albany, NY', '12207', 'Albany, NY', 'Springfield, IL', 'Los Angeles, CA'], zip_radius: 25 };
    assert.deepEqual((await api.read(uri)).includes, {
      ...places,
      campaigns: ['canvass'],
      campaign_radius: 10.5,
      campaign_same_county_only: true,
      target_groups: [groupUri],
    });
    assert.equal((await patch(uri, { includes: { campaigns: [], target_groups: null } })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).includes, places);
    const nowhere = await patch(uri, { includes: { zips: ['12207', '00000'] } });
    assert.match(String(nowhere.json().errors.zip_radius), /cannot be measured from 00000/);
    assert.deepEqual((await api.read(uri)).includes, places);
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
    ['zip_radius', 5, /nothing without zips/],
    ['zip_radius', 0, /above zero/],
    ['zip_radius', 501, /at most 500/],
    ['zip_radius', [5], /must be a/],
    ['target_groups', ['/rest/v1/targetgroup/999999/'], /refers to nothing/],
    ['target_groups', 5, /must be a list/],
    ['campaigns', ['nosuch'], /refers to nothing/],
    ['campaign_radius', 'near', /must be a/],
    ['campaign_radius', 5, /nothing without campaigns/],
    ['campaign_samestate_only', true, /nothing without campaigns/],
    ['campaign_same_county_only', 'yes', /true or false/],
    ['campaign_same_district_only', true, /nothing without campaigns/],
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
    const sending = await make({ includes: { mailings: [uri] } });
    for (const each of [uri, including, excluding, apart, sending]) await save(each);
    await api.pool.query(`update core_mailing set status = 'sending' where id = $1`, [idIn(sending)]);
    await patch(uri, { notes: 'no targeting' });
    assert.deepEqual(await versions(including), [1, 'saved']);
    await patch(uri, { limit: 5 });
    for (const each of [uri, including, excluding]) {
      assert.deepEqual(await versions(each), [2, 'invalid']);
      assert.equal((await api.read(each)).targeting_version_saved, 1);
    }
    for (const each of [apart, sending]) assert.deepEqual(await versions(each), [1, 'saved']);
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
    const created = await api.call('POST', '/rest/v1/mailer/', { subjects: ['x'], includes: { raw_sql: ['select 1'] } }, headers);
    assert.equal(created.statusCode, 403);
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
