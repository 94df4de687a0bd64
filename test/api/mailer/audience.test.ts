import assert from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { explainAudience } from '../../../core/targeting/explain-audience.ts';
import { compileExplanation } from '../../../domain/targeting/explain.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('the explanation of an audience', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await api.create('list', { name: 'Alerts' });
    await api.create('petitionpage', { name: 'sign' });
    await insertPeople(
      api.pool,
      Array.from({ length: 20 }, (_, index) => ({
        id: index + 1,
        email: `p${index + 1}@example.org`,
        state: index < 12 ? 'NY' : 'CA',
        zip: index < 5 ? '12207' : '90001',
        lists: index < 15 ? [1] : [2],
      })),
    );
    await insertPeople(api.pool, [{ id: 30, email: 'gone@example.org', status: 'bounced', state: 'NY' }]);
    await api.pool.query(
      `insert into core_action (user_id, page_id) select id, (select id from core_page where name = 'sign') from core_user where id <= 3`,
    );
    await api.pool.query(`insert into core_blackholedemail (email) values ('p20@example.org')`);
  });
  after(() => api.close());

  const explained = async (mailing: object) => {
    const uri = await api.create('mailer', { ...READY, ...mailing });
    return { uri, document: await api.read(`${uri}audience/`) };
  };

  it('counts each clause, all together and what excludes take, by name, and ends where a rebuild does', async () => {
    const { uri, document } = await explained({
      includes: { lists: ['News', '2'], states: ['ny'] },
      excludes: { actions: ['sign'], raw_sql: ['select 4', 'values (5), (16)'] },
    });
    assert.deepEqual(document, {
      mailing_id: idIn(uri),
      targeting_version: 1,
      text: 'Everyone subscribed who is on the list News or Alerts and lives in the state NY, without anyone who has taken action on the page sign or is found by one of 2 SQL statements.',
      reachable: 19,
      includes: [
        { field: 'lists', text: 'is on the list News or Alerts', count: 19 },
        { field: 'states', text: 'lives in the state NY', count: 12 },
      ],
      included: 12,
      excludes: [
        { field: 'actions', text: 'has taken action on the page sign', count: 3 },
        { field: 'raw_sql', text: 'is found by one of 2 SQL statements', count: 3 },
      ],
      excluded: 5,
      limit: null,
      sort_by: null,
      people: 7,
      sample: null,
    });
    assert.equal(await buildSet(api, uri), 7);
    assert.equal((await api.read(`${uri}audience/`)).people, 7);
  });

  it('says who is meant by nothing, by a radius, by a limit', async () => {
    assert.deepEqual((await explained({})).document.text, 'Everyone subscribed.');
    const near = (await explained({ includes: { zips: ['12207'], zip_radius: 20 }, limit: 4 })).document;
    assert.deepEqual([near.text, near.included, near.people], ['Everyone subscribed who lives within 20 miles of 12207; at most 4.', 5, 4]);
    const without = (await explained({ excludes: { has_donated: false } })).document;
    assert.deepEqual([without.text, without.excluded, without.people], ['Everyone subscribed, without anyone who has not donated.', 19, 0]);
    const landing = await api.create('petitionpage', { name: 'landing' });
    const represented = (await explained({ landing_page: landing, target_group_from_landing_page: true })).document;
    assert.deepEqual(
      [represented.text, represented.included],
      ['Everyone subscribed who is represented by a target of the landing page.', 0],
    );
  });

  it('has words for every field', async () => {
    const campaign = await api.create('campaign', { name: 'canvass' });
    const group = await api.create('specialtargetgroup', { name: 'Some' });
    const other = await api.create('mailer', READY);
    await api.create('queryreport', { name: 'Nobody', short_name: 'nobody', sql: 'select 0' });
    const every = {
      users: [1],
      lists: ['News'],
      states: ['NY'],
      countries: ['Canada'],
      regions: ['Ontario'],
      zips: ['100*'],
      counties: ['Kings'],
      cds: ['NY_12'],
      state_house_districts: ['NY_012'],
      state_senate_districts: ['NY_012'],
      has_donated: true,
      was_monthly_donor: ['active', 'any'],
      actions: ['sign'],
      tags: [],
      campaigns: [campaign],
      campaign_radius: 5,
      campaign_samestate_only: true,
      target_groups: [group],
      mailings: [other],
      raw_sql: ['select 1'],
      query_reports: [{ short_name: 'nobody' }],
    };
    const { document } = await explained({ includes: every });
    assert.equal(document.includes.length, Object.keys(every).length - 3);
    for (const { field, text, count } of document.includes) {
      assert.match(text, /^(is|lives|has|gives|was) \w/, field);
      assert.ok(Number.isInteger(count), field);
    }
    assert.match(document.text, /within 5 miles of a coming event of canvass in the same state/);
  });

  it('is the same of a sample, where people are asked one by one, as of all at once', async () => {
    const waiting = await api.create('mailer', { ...READY, includes: { lists: ['Alerts'] } });
    await buildSet(api, waiting);
    const sent = idIn(await api.create('mailer', READY));
    await api.pool.query(`
      insert into send_accepted (user_id, mailing_id, position, sent_second) select id, ${sent}, id, 0 from core_user where id between 1 and 6;
      insert into send_exception (mailing_id, position, user_id, shard, state, changed_at) select ${sent}, id, id, 0, 3 + id % 3, now() from core_user where id between 7 and 15;
      insert into core_location (user_id, us_county, us_district, us_state_district, us_state_senate)
        select id, 'Kings', case when id % 2 = 0 then 'NY_12' else 'NY_13' end, 'NY_012', 'NY_012' from core_user where id < 9`);
    const [include, exclude] = [
      { lists: [1, 2], counties: ['kings'], cds: ['NY_12'], state_house_districts: ['NY_012'], state_senate_districts: ['NY_012'] },
      { has_donated: true, was_monthly_donor: ['any'], actions: [1], tags: [1], mailings: [sent, idIn(waiting)] },
    ] as const;
    const context = { zipsAround: () => [], landingPage: null, mergefile: null };
    const count = async (includes: object, excludes: object, mailingId: number, percent?: number) => {
      const { text, values } = compileExplanation(includes, excludes, { ...context, mailingId }, percent).query;
      const { looked_at, ...counts } = (await api.pool.query(text, [...values])).rows[0];
      return counts;
    };
    for (const mailing of [sent, idIn(waiting)])
      for (const [includes, excludes] of [
        [include, exclude],
        [exclude, include],
        [{ has_donated: false }, { mailings: [sent] }],
        [{ mailings: [sent] }, {}],
      ] as const)
        assert.deepEqual(await count(includes, excludes, mailing, 100), await count(includes, excludes, mailing));
    const of = await count({ mailings: [sent] }, { mailings: [sent, idIn(waiting)] }, 0, 100);
    assert.deepEqual([of.c0, of.c1, of.reachable], [6 + 3, 9 + 4, 19]);
  });

  it('is refused with the reason where a statement fails, and of a mailing that is not there', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { raw_sql: ['select 1 / 0'] } });
    const answer = await api.call('GET', `${uri}audience/`);
    assert.equal(answer.statusCode, 400);
    assert.match(String(answer.json().errors.targeting), /division by zero/);
    assert.equal((await api.call('GET', '/rest/v1/mailer/99999/audience/')).statusCode, 404);
    assert.equal((await explained({})).document.people, 19);
  });
});

describe('the explanation of an audience among very many', () => {
  it('is made up from a sample, and says so, unless few are found', async () => {
    const api = await startApi({ AUDIENCE_SAMPLE: '1500' });
    try {
      await api.create('list', { name: 'News' });
      await api.pool.query(`
        insert into core_user (email, state, subscription_status)
          select i || '@example.org', case when i % 4 = 0 then 'CA' when i % 1000 = 1 then 'NY' else 'TX' end, 'subscribed' from generate_series(1, 20000) i;
        insert into core_subscription (user_id, list_id) select id, 1 from core_user`);
      const explain = async (states: string[]) =>
        api.read(`${await api.create('mailer', { ...READY, includes: { lists: ['News'], states } })}audience/`);
      const near = (count: number, wanted: number) => assert.ok(Math.abs(count - wanted) < wanted * 0.15, `${count}, not about ${wanted}`);
      const many = await explain(['CA']);
      assert.ok(many.sample > 900 && many.sample < 2100, many.sample);
      near(many.reachable, 20_000);
      for (const count of [many.included, many.people, many.includes[1].count]) near(count, 5000);
      const { settled: _, ...larger } = await explainAudience(
        { pool: api.pool, env: { ...api.env, AUDIENCE_SAMPLE: 150 } },
        many.mailing_id,
      );
      assert.deepEqual({ ...larger, sample: many.sample }, many, 'a few of the small sample were found: the larger one is taken');
      const few = await explain(['NY']);
      assert.deepEqual([few.sample, few.reachable, few.people], [null, 20_000, 20]);
    } finally {
      await api.close();
    }
  });
});

describe('an audience by names of places', () => {
  it('is whom they name, whatever the case of a letter that has no plain small one', async () => {
    const api = await startApi();
    try {
      const list = await api.create('list', { name: 'News' });
      const people = [
        { region: 'İstanbul', country: 'TÜRKİYE' },
        { region: 'ΑΤΤΙΚΗΣ', country: 'ΕΛΛΑΣ' },
        { region: 'Ontario', country: 'Canada' },
      ];
      for (const [n, place] of people.entries()) {
        const user = await api.create('user', { email: `p${n}@example.org`, ...place });
        await api.create('subscription', { user, list });
      }
      const meant = async (targeting: object) =>
        (await api.read(`${await api.create('mailer', { ...READY, ...targeting })}audience/`)).people;
      for (const [n, place] of people.entries()) {
        for (const [field, name] of [
          ['regions', place.region],
          ['countries', place.country],
        ]) {
          assert.equal(await meant({ includes: { [field!]: [name] } }), 1, `${field} ${name}`);
          assert.equal(await meant({ excludes: { [field!]: [name] } }), people.length - 1, `without ${field} ${name}`);
        }
        assert.equal(await meant({ includes: { regions: [people[n]!.region.toLocaleUpperCase('en')] } }), 1);
      }
    } finally {
      await api.close();
    }
  });
});
