import assert from 'node:assert/strict';
import { eraseUser } from '../../../core/people/erase.ts';
import { mergeUsers } from '../../../core/people/merge.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { callerTargets, placeOfUser, placeOfZip } from '../../../core/whipcounts/caller-targets.ts';
import { loadTargets } from '../../../core/whipcounts/load-targets.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { legislators, zipDistricts } from '../../support/congress.ts';

const CALLERS = 200;
const RESPONSES = ['supportive', 'opposed', 'uncommitted', 'message', 'will think about it'];

describe('a whip count from beginning to end', () => {
  let api: TestApi;
  let page: { id: number; uri: string };
  let senators: { id: number; state: string }[];
  /** What was reported, by target: caller → last response. */
  const told = new Map<number, Map<string, string>>();

  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    const zips = zipDistricts();
    await api.pool.query(
      `insert into geo_zipplace (zip, kind, place) select z, 'us_district', p from unnest($1::text[], $2::text[]) as x(z, p) on conflict do nothing`,
      [zips.map(({ zip }) => zip), zips.map(({ place }) => place)],
    );
  });
  after(() => api.close());

  const submit = (body: object) => api.call('POST', '/rest/v1/action/', { page: 'call-your-senator', ...body }, { authorization: '' });

  it('loads Congress', async () => {
    const entries = legislators();
    const summary = await loadTargets(api.pool, entries);
    assert.deepEqual(summary, { added: entries.length, changed: 0, unchanged: 0, hidden: 0, skipped: [] });
  });

  it('makes a group of one party’s senators and a page', async () => {
    const { objects } = await api.read('/rest/v1/target/?type=senate&party=Democrat&hidden=false&_limit=100');
    senators = objects;
    const targets = objects.map((each: { resource_uri: string }) => each.resource_uri);
    const group = await api.create('congresstargetgroup', { name: 'Democratic senators', type: 'senate', targets });
    const uri = await api.create('whipcountpage', {
      name: 'call-your-senator',
      title: 'Call your senator',
      target_groups: [group],
      whipcountform: { minimum_calls: 2, minimum_response_agreement: '0.60' },
    });
    page = { id: (await api.read(uri)).id, uri };
  });

  it(`takes what ${CALLERS} callers from all over the country report`, async () => {
    const zips = zipDistricts();
    const sql = sqlOn(api.pool);
    let place = 0;
    for (let caller = 0; caller < CALLERS; ) {
      place = (place + 7919) % zips.length;
      const { zip } = zips[place]!;
      const targets = await callerTargets(sql, page.id, await placeOfZip(sql, zip));
      if (targets.length === 0) continue;
      assert.ok(targets.length <= 2 * (await placeOfZip(sql, zip)).states.length);
      const email = `caller${caller}@example.org`;
      const answers = targets.map(({ id }) => [id, RESPONSES[(caller + id) % RESPONSES.length]!] as const);
      const answer = await submit({ email, zip, ...Object.fromEntries(answers.map(([id, response]) => [`response-${id}`, response])) });
      assert.equal(answer.statusCode, 201, answer.body);
      assert.match(String(answer.headers.location), /\/rest\/v1\/whipcountaction\/\d+\/$/);
      for (const [id, response] of answers) told.set(id, (told.get(id) ?? new Map()).set(email, response));
      caller++;
    }
    // Some call again: the later report counts.
    for (const [id, callers] of [...told].slice(0, 10)) {
      const [email] = callers.keys();
      assert.equal((await submit({ email, [`response-${id}`]: 'supportive' })).statusCode, 201);
      callers.set(email!, 'supportive');
    }
  });

  it('knows the targets of a person by their location, their zip or their state', async () => {
    const sql = sqlOn(api.pool);
    const { rows } = await api.pool.query(
      `select u.id, u.zip, l.us_district from core_user u left join core_location l on l.user_id = u.id where u.email like 'caller%'`,
    );
    assert.equal(rows.length, CALLERS);
    for (const { id, zip, us_district: district } of rows.slice(0, 20)) {
      const byZip = await placeOfZip(sql, zip);
      const place = await placeOfUser(sql, id);
      if (district) assert.deepEqual(place.districts, [district]);
      assert.ok(place.states.every((state) => byZip.states.includes(state)));
    }
    const { rows: moved } = await api.pool.query(`insert into core_user (email, state) values ('far@example.org', $1) returning id`, [
      senators[0]!.state,
    ]);
    assert.ok((await callerTargets(sql, page.id, await placeOfUser(sql, moved[0].id))).some(({ id }) => id === senators[0]!.id));
    assert.deepEqual(await callerTargets(sql, page.id, await placeOfZip(sql, '00000')), []);
  });

  it('tells clients whom a caller is to call', async () => {
    const zips = zipDistricts();
    const { state } = senators[0]!;
    const { zip } = zips.find(({ place }) => place.startsWith(`${state}_`))!;
    const answer = await api.read(`/rest/v1/whipcountpage/${page.id}/targets/?zip=${zip}`);
    assert.ok(answer.states.includes(state));
    const found = answer.objects.find(({ id }: { id: number }) => id === senators[0]!.id);
    assert.deepEqual(found, await api.read(`/rest/v1/target/${senators[0]!.id}/`));
    const { objects } = await api.read('/rest/v1/user/?email=far@example.org');
    assert.deepEqual((await api.read(`/rest/v1/whipcountpage/${page.id}/targets/?user=${objects[0].id}`)).states, [state]);
    for (const wrong of ['', '?zip=x', '?zip=%00', '?zip=1&user=1', '?user=x', '?user=99999999999', '?zip=12345&zip=12346']) {
      assert.equal((await api.call('GET', `/rest/v1/whipcountpage/${page.id}/targets/${wrong}`)).statusCode, 400, wrong);
    }
    assert.equal((await api.call('GET', '/rest/v1/whipcountpage/99999/targets/?zip=12345')).statusCode, 404);
  });

  it('gives the totals by SQL with a placeholder', async () => {
    const query = `select t.id, lower(c.response), count(*) from core_whipcountactioncalled c join core_target t on t.id = c.target_id
      join core_whipcountaction w on w.action_ptr_id = c.whipcountaction_id join core_action a on a.id = w.action_ptr_id
      join core_page p on p.id = a.page_id
      where p.name = {{ page }} group by 1, 2 order by 1, 2`;
    const parameters = new URLSearchParams({ query, page: 'call-your-senator', format: 'json' });
    const rows = await api.read(`/rest/v1/report/run/sql/?${parameters}`);
    const expected = [...told].flatMap(([id, callers]) => {
      const counts = new Map<string, number>();
      for (const response of callers.values()) counts.set(response, (counts.get(response) ?? 0) + 1);
      return [...counts].map(([response, count]) => [id, response, count]);
    });
    const sorted = (list: unknown[]) => list.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(rows), sorted(expected));
  });

  it('gives them as the reports that come with the platform', async () => {
    const calls = await api.read('/rest/v1/report/run/whipcount_calls_per_target/?page=call-your-senator');
    assert.deepEqual(
      new Map(calls.map(([id, , , count]: [number, string, string, number]) => [id, count])),
      new Map([...told].map(([id, callers]) => [id, callers.size])),
    );
    const days = await api.read('/rest/v1/report/run/whipcount_calls_per_day/?page=call-your-senator');
    assert.equal(
      days.reduce((sum: number, [, count]: [string, number]) => sum + count, 0),
      [...told.values()].reduce((sum, callers) => sum + callers.size, 0),
    );
    assert.match(days[0][0], /^\d{4}-\d\d-\d\d$/);

    const target = [...told.keys()][0]!;
    await api.create('whipcountoverride', { page: page.uri, target: `/rest/v1/target/${target}/`, stance: 'opposed' });
    const stances: [number, string, string, number, string, number, string | null][] = await api.read(
      '/rest/v1/report/run/whipcount_stance_per_target/?page=call-your-senator',
    );
    assert.equal(stances.length, told.size);
    for (const [id, , , callers, response, most, stance] of stances) {
      const counts = new Map<string, number>();
      for (const each of told.get(id)!.values()) counts.set(each, (counts.get(each) ?? 0) + 1);
      assert.equal(callers, told.get(id)!.size);
      assert.equal(most, Math.max(...counts.values()));
      assert.equal(counts.get(response), most);
      const known = callers >= 2 && most >= callers * 0.6 ? response : null;
      assert.equal(stance, id === target ? 'opposed' : known);
    }
  });

  it('lists the called responses of a page by its name, with their targets', async () => {
    const first = await api.read('/rest/v1/whipcountactioncalled/?whipcountaction__page__name=call-your-senator');
    assert.equal(
      first.meta.total_count,
      [...told.values()].reduce((sum, callers) => sum + callers.size, 0),
    );
    const [called] = first.objects;
    assert.deepEqual(Object.keys(called).sort(), [
      'created_at',
      'id',
      'resource_uri',
      'response',
      'target',
      'updated_at',
      'whipcountaction',
    ]);
    assert.deepEqual(called.target, await api.read(called.target.resource_uri));
    const action = await api.read(called.whipcountaction);
    assert.equal(action.page, `/rest/v1/whipcountpage/${page.id}/`);
    assert.equal((await api.read('/rest/v1/whipcountactioncalled/?whipcountaction__page__name=another')).meta.total_count, 0);
    for (const filter of [
      `target=${called.target.id}`,
      `target__state=${called.target.state}`,
      `whipcountaction__user=${action.user.split('/')[4]}`,
      `response=${called.response}`,
    ]) {
      assert.ok(
        (await api.read(`/rest/v1/whipcountactioncalled/?whipcountaction__page=${page.id}&${filter}`)).meta.total_count > 0,
        filter,
      );
    }
    assert.equal(
      (await api.read('/rest/v1/whipcountaction/?page__name=call-your-senator')).meta.total_count,
      CALLERS + Math.min(10, told.size),
    );
  });

  it('takes an action away with all it said', async () => {
    const [called] = (await api.read('/rest/v1/whipcountactioncalled/')).objects;
    const { id } = await api.read(called.whipcountaction);
    const before = (await api.read('/rest/v1/whipcountaction/')).meta.total_count;
    assert.equal((await api.call('DELETE', called.whipcountaction)).statusCode, 204);
    assert.equal((await api.call('GET', called.whipcountaction)).statusCode, 404);
    assert.equal((await api.read('/rest/v1/whipcountaction/')).meta.total_count, before - 1);
    assert.equal((await api.read(`/rest/v1/whipcountactioncalled/?whipcountaction=${id}`)).meta.total_count, 0);
  });

  it('takes the form of the built-in pages, and says what is missing as the form says it', async () => {
    const { id } = senators[0]!;
    const form = (fields: [string, string][]) =>
      api.call('POST', '/rest/v1/action/', new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: '',
      });
    const base: [string, string][] = [
      ['page', 'call-your-senator'],
      ['email', 'form@example.org'],
      ['required', `response-${id}`],
      [`error_response-${id}:missing`, 'Tell us what they said!'],
    ];
    for (const required of ['required', 'required[]', 'required[0]']) {
      const missing = await form(base.map(([name, value]) => [name === 'required' ? required : name, value]));
      assert.equal(missing.statusCode, 400, required);
      assert.deepEqual(missing.json(), { errors: { [`response-${id}:missing`]: ['Tell us what they said!'] } });
    }
    assert.equal((await api.read('/rest/v1/user/?email=form@example.org')).meta.total_count, 0);
    assert.equal((await form([...base, [`response-${id}`, 'message']])).statusCode, 201);
    const called = await api.read(`/rest/v1/whipcountactioncalled/?whipcountaction__user__email=form@example.org`);
    assert.equal(called.objects[0].response, 'message');
  });

  it('refuses what is no response, and leaves nothing behind', async () => {
    const other = (await api.read('/rest/v1/target/?type=house&_limit=1')).objects[0];
    const wrong: [Record<string, unknown>, string][] = [
      [{ 'response-999999': 'x' }, 'response-999999'],
      [{ [`response-${other.id}`]: 'x' }, `response-${other.id}`],
      [{ 'response-x': 'y' }, 'response-x'],
      [{ 'response-99999999999': 'y' }, 'response-99999999999'],
      [{ 'response-': 'y' }, 'response-'],
      [{ [`response-${senators[0]!.id}`]: ['a', 'b'] }, `response-${senators[0]!.id}`],
      [{ [`response-${senators[0]!.id}`]: 'a\0' }, `response-${senators[0]!.id}`],
      [{ [`response-${senators[0]!.id}`]: 'a'.repeat(10_001) }, `response-${senators[0]!.id}`],
      [{ required: 'response-1,reason' }, 'reason:missing'],
      [{ required: 'constructor' }, 'constructor:missing'],
    ];
    for (const [body, field] of wrong) {
      const answer = await submit({ email: 'nobody@example.org', ...body });
      assert.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 100));
      assert.ok(field in answer.json().errors, answer.body.slice(0, 300));
    }
    assert.equal((await api.read('/rest/v1/user/?email=nobody@example.org')).meta.total_count, 0);
  });

  it('names the first hundred fields that are missing, however many a caller says are required', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `f${n}`);
    for (const required of [names.join(','), names]) {
      const answer = await submit({ email: 'nobody@example.org', required });
      assert.equal(answer.statusCode, 400);
      assert.deepEqual(
        Object.keys(answer.json().errors),
        names.slice(0, 100).map((name) => `${name}:missing`),
      );
    }
  });

  it('keeps one response per target and caller when fifty come at once', async () => {
    const two = senators.slice(0, 2).map(({ id }) => id);
    const bodies = Array.from({ length: 50 }, (_, n) => {
      const entries = two.map((id) => [`response-${id}`, `response ${n}`]);
      return { email: 'eager@example.org', ...Object.fromEntries(n % 2 ? entries : entries.reverse()) };
    });
    const answers = await Promise.all(bodies.map((body) => submit(body)));
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201]));
    const { rows } = await api.pool.query(
      `select c.target_id, c.response, a.id = max(a.id) over () as whole from core_whipcountactioncalled c join core_user u on u.id = c.user_id
       join core_action a on a.id = c.whipcountaction_id where u.email = 'eager@example.org' order by array_position($1::int[], c.target_id)`,
      [two],
    );
    assert.deepEqual(
      rows.map(({ target_id }) => target_id),
      two,
    );
    // Both come from one and the same submission, the last one through.
    assert.equal(rows[0].response, rows[1].response);
    assert.ok(rows.every(({ whole }) => whole));
    assert.equal((await api.read('/rest/v1/whipcountaction/?user__email=eager@example.org')).meta.total_count, 50);
  });

  it('keeps the later of two responses when two callers turn out to be one, and forgets their words when they ask for it', async () => {
    const both = senators[0]!;
    const other = senators[1]!;
    await submit({ email: 'one@example.org', [`response-${both.id}`]: 'opposed', [`response-${other.id}`]: 'my own words' });
    await submit({ email: 'two@example.org', [`response-${both.id}`]: 'supportive' });
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) => (await api.read(`/rest/v1/user/?email=${name}@example.org`)).objects[0].resource_uri),
    );
    const job = await api.create('usermerge', { primary_user: one, users: [two], address_user: one, source_user: one });
    await inOneTransaction(api.pool, (sql) => mergeUsers(sql, Number(job.split('/')[4])));
    const responses = async () => {
      const { objects } = await api.read(
        '/rest/v1/whipcountactioncalled/?whipcountaction__user__email__in=one@example.org,two@example.org&order_by=id',
      );
      return objects.map(({ target, response }: { target: { id: number }; response: string }) => [target.id, response]).sort();
    };
    const kept = [
      [both.id, 'supportive'],
      [other.id, 'my own words'],
    ].sort();
    assert.deepEqual(await responses(), kept);
    await api.call('POST', '/rest/v1/eraser/', { user_id: Number(one.split('/')[4]), action_fields: true });
    const { rows } = await api.pool.query('select max(id) as id from core_erasure');
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, api.env.SECRET_KEY));
    const left = await api.pool.query('select response from core_whipcountactioncalled where user_id = $1 order by target_id = $2', [
      Number(one.split('/')[4]),
      both.id,
    ]);
    assert.deepEqual(
      left.rows.map(({ response }) => response),
      ['', 'supportive'],
    );
  });

  it('follows Congress: changes are taken over, those who left are hidden and kept, twice is once', async () => {
    const entries = structuredClone(legislators());
    assert.deepEqual(await loadTargets(api.pool, entries), { added: 0, changed: 0, unchanged: entries.length, hidden: 0, skipped: [] });
    const gone = entries.pop()!;
    entries[0]!.terms!.at(-1)!.phone = '202-224-0000';
    const fresh = { ...structuredClone(entries[1]!), id: { bioguide: 'Z999999' } };
    const summary = await loadTargets(api.pool, [...entries, fresh, {}, { id: { bioguide: 'Z1' }, terms: [] }]);
    assert.deepEqual([summary.added, summary.changed, summary.hidden, summary.skipped.length], [1, 1, 1, 2]);
    const bioguide = String(gone.id!.bioguide);
    const { rows } = await api.pool.query('select hidden from core_target where bioguide = $1', [bioguide]);
    assert.deepEqual(rows, [{ hidden: true }]);
    await assert.rejects(loadTargets(api.pool, entries.slice(0, 3)), /not whole/);
    await assert.rejects(loadTargets(api.pool, []), /no usable entry/);
    const back = await loadTargets(api.pool, legislators());
    assert.deepEqual([back.added, back.changed, back.hidden], [0, 2, 1]);
  });
});
