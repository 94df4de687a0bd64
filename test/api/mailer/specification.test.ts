import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY, setMailing } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

// The specification's mailer pages line by line, over HTTP, as somebody would who knows nothing else.

const FIELDS =
  `id resource_uri mailing_uri subjects preview_text html text fromline custom_fromline reply_to emailwrapper lang landing_page mergefile target_mergefile
  notes tags fields web_viewable hidden limit sort_by mails_per_second rebuild_query_at_send includes excludes target_group_from_landing_page proof_users reviewers
  requested_proofs submitter scheduled_by scheduled_for status query_status query_queued_at query_started_at query_completed_at query_previous_runtime targeting_version
  targeting_version_saved expected_sent_count created_at updated_at queued_at queued_by started_at finished_at recurring_schedule recurring_source_mailing copy rebuild
  proofs queue progress status_uri stop results`.split(/\s+/);

const TARGETING =
  `actions campaign_radius campaign_samestate_only campaign_same_county_only campaign_same_district_only campaigns cds counties countries has_donated
  languages lists mailings query_reports raw_sql regions state_house_districts state_senate_districts states tags users target_groups was_monthly_donor zip_radius
  zips`.split(/\s+/);

describe('the mailer pages of the specification', () => {
  let api: TestApi;
  let base: string;
  let auth: string;
  before(async () => {
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    auth = `Basic ${Buffer.from('admin:test-password').toString('base64')}`;
    await api.create('list', { name: 'News' });
    await api.create('language', { name: 'English', iso_code: 'en' });
    await insertPeople(api.pool, [
      { id: 1, email: 'one@example.org', lists: [1], state: 'NY' },
      { id: 2, email: 'two@example.org', lists: [1], state: 'CA' },
    ]);
  });
  after(() => api.close());

  /** A request as it goes over the wire. */
  async function send(method: string, path: string, body?: unknown) {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: auth, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, location: answer.headers.get('location') ?? '', text, json: () => JSON.parse(text) };
  }
  const pathOf = (location: string) => location.replace(api.env.BASE_URL, '');
  async function create(more: object = {}): Promise<string> {
    const answer = await send('POST', '/rest/v1/mailer/', { ...READY, ...more });
    assert.equal(answer.status, 201, answer.text);
    return pathOf(answer.location);
  }

  it('show every field in each mailing, dates without a zone, related things as relative URIs', async () => {
    const created = await send('POST', '/rest/v1/mailer/', { subjects: ['Hello'] });
    assert.deepEqual([created.status, created.text], [201, '']);
    assert.match(created.location, new RegExp(`^${api.env.BASE_URL}/rest/v1/mailer/\\d+/$`));
    const mailing = (await send('GET', pathOf(created.location))).json();
    assert.deepEqual(
      FIELDS.filter((name) => !(name in mailing)),
      [],
    );
    assert.match(mailing.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    for (const name of ['copy', 'rebuild', 'proofs', 'queue', 'progress', 'stop', 'results'])
      assert.equal(mailing[name], `${mailing.resource_uri}${name}/`);
    assert.equal(mailing.status_uri, `${mailing.resource_uri}status/`);
    assert.equal((await send('GET', mailing.mailing_uri)).status, 200);
    assert.deepEqual(
      [mailing.status, mailing.query_status, mailing.targeting_version_saved, mailing.hidden],
      ['draft', 'none', null, false],
    );
    const schema = (await send('GET', '/rest/v1/mailer/schema/')).json();
    assert.deepEqual(
      FIELDS.filter((name) => !(name in schema.fields)),
      [],
    );
  });

  it('require subjects', async () => {
    const answer = await send('POST', '/rest/v1/mailer/', { html: '<p>x</p>' });
    assert.equal(answer.status, 400);
    assert.ok(Array.isArray(answer.json().errors.subjects));
  });

  it('list mailings in pages of 20 with previous, next, total_count, offset, limit', async () => {
    for (let n = 0; n < 21; n++) await create();
    const page = (await send('GET', '/rest/v1/mailer/?format=json')).json();
    assert.deepEqual(Object.keys(page).sort(), ['meta', 'objects']);
    assert.deepEqual(Object.keys(page.meta).sort(), ['limit', 'next', 'offset', 'previous', 'total_count']);
    assert.deepEqual([page.meta.limit, page.meta.offset, page.meta.previous, page.objects.length], [20, 0, null, 20]);
    const next = (await send('GET', page.meta.next)).json();
    assert.equal(next.meta.offset, 20);
    assert.equal((await send('GET', '/rest/v1/mailer/?_limit=2&_offset=1')).json().objects.length, 2);
  });

  it('take a from line as a literal, a dictionary and a URI, and show a string', async () => {
    const line = '"Bo" <bo@example.org>';
    for (const fromline of [line, { from_line: line }]) assert.equal((await send('GET', await create({ fromline }))).json().fromline, line);
    const uri = pathOf((await send('POST', '/rest/v1/fromline/', { from_line: '"Cy" <cy@example.org>' })).location);
    assert.equal((await send('GET', await create({ fromline: uri }))).json().fromline, '"Cy" <cy@example.org>');
    assert.equal((await send('GET', '/rest/v1/fromline/')).json().meta.total_count, 3);
  });

  it('find or create tags, and take admin users by URI alone', async () => {
    const uri = await create({ tags: ['brand new'], submitter: '/rest/v1/authuser/1/', scheduled_by: '/rest/v1/authuser/1/' });
    assert.deepEqual((await send('GET', uri)).json().tags, ['brand new']);
    for (const field of ['submitter', 'scheduled_by']) {
      const answer = await send('PATCH', uri, { [field]: 1 });
      assert.equal(answer.status, 400);
      assert.ok(answer.json().errors[field]);
    }
  });

  it('know every targeting field, and refuse a wrong value by its name', async () => {
    for (const field of TARGETING) {
      for (const side of ['includes', 'excludes']) {
        const answer = await send('POST', '/rest/v1/mailer/', { ...READY, [side]: { [field]: { no: ['such'] } } });
        assert.equal(answer.status, 400, field);
        assert.ok(!/not a (targeting )?field/.test(answer.text), answer.text);
        if (field !== 'lists') assert.ok(JSON.stringify(answer.json().errors).includes(field), answer.text);
      }
      const cleared = await send('POST', '/rest/v1/mailer/', { ...READY, includes: { [field]: null } });
      assert.equal(cleared.status, 201, `${field}: ${cleared.text}`);
    }
    for (const [field, value] of Object.entries({
      cds: ['NY_1'],
      state_house_districts: ['NY_12'],
      languages: ['en'],
      was_monthly_donor: ['never'],
      states: ['New York'],
    })) {
      assert.equal((await send('POST', '/rest/v1/mailer/', { ...READY, includes: { [field]: value } })).status, 400, field);
    }
    const right = {
      cds: ['NY_01'],
      state_house_districts: ['NY_012'],
      state_senate_districts: ['NY_012'],
      languages: ['English', 1],
      was_monthly_donor: ['active', 'any', 'expires_this_month', 'expired_last_month', 'canceled_last_7_days'],
    };
    const shown = (await send('GET', await create({ includes: right }))).json().includes;
    assert.deepEqual([shown.languages, shown.was_monthly_donor.length], [['English'], 5]);
  });

  it('take lists by name, id and URI, mixed, show names, and answer an unknown one with a single string', async () => {
    const uri = await create({ includes: { lists: ['News', 1, '/rest/v1/list/1/'] } });
    assert.deepEqual((await send('GET', uri)).json().includes, { lists: ['News'] });
    const answer = await send('PATCH', uri, { includes: { lists: ['Olds'] } });
    assert.equal(answer.status, 400);
    assert.equal(typeof answer.json().errors, 'string');
  });

  it('PATCH with 202; at least one field; sub-fields one by one; versions only for real changes; 409 for a stale one', async () => {
    const uri = await create({ includes: { states: ['NY'], lists: ['News'] } });
    assert.equal((await send('PATCH', uri, {})).status, 400);
    const patched = await send('PATCH', uri, { includes: { states: ['CA'] } });
    assert.deepEqual([patched.status, patched.text], [202, '']);
    const version = async () => (await send('GET', uri)).json().targeting_version;
    assert.deepEqual((await send('GET', uri)).json().includes, { lists: ['News'], states: ['CA'] });
    assert.equal(await version(), 2);
    await send('PATCH', uri, { includes: { states: ['CA'] }, limit: null });
    await send('PATCH', uri, { notes: 'x', html: '<p>y</p>' });
    assert.equal(await version(), 2);
    for (const [field, value] of Object.entries({ limit: 5, sort_by: 'zip', mails_per_second: 0.5, excludes: { states: ['TX'] } })) {
      const before = await version();
      await send('PATCH', uri, { [field]: value });
      assert.equal(await version(), before + 1, field);
    }
    const stale = await send('PATCH', uri, { notes: 'not written', targeting_version: 2 });
    assert.equal(stale.status, 409);
    assert.equal((await send('GET', uri)).json().notes, 'x');
    assert.equal((await send('PATCH', uri, { limit: 6, targeting_version: await version() })).status, 202);
  });

  it('rebuild with 201 and a document to watch, fast or not', async () => {
    for (const body of [undefined, {}, { fast_rebuild: 1 }, { fast_rebuild: '1' }]) {
      const answer = await send('POST', `${await create()}rebuild/`, body);
      assert.equal(answer.status, 201, answer.text);
      const poll = (await send('GET', pathOf(answer.location))).json();
      assert.deepEqual(Object.keys(poll).sort(), ['errors', 'finished', 'finished_at', 'results', 'started_at', 'success']);
      assert.deepEqual([poll.finished, poll.success, poll.results, poll.errors], [false, false, null, []]);
    }
  });

  it('have a status document with error, and what belongs to the status', async () => {
    const uri = await create();
    const keys = async () => Object.keys((await send('GET', `${uri}status/`)).json()).sort();
    assert.deepEqual(await keys(), ['count', 'error', 'query_previous_runtime', 'query_status', 'status']);
    await send('POST', `${uri}rebuild/`);
    assert.deepEqual(await keys(), ['error', 'query_previous_runtime', 'query_queued_at', 'query_started_at', 'query_status', 'status']);
    await setMailing(api, uri, { status: 'sending', query_status: 'saved', started_at: new Date(), queued_at: new Date() });
    const sending = ['expected_send_count', 'finished_at', 'progress', 'queued_at', 'queued_by', 'rate', 'started_at', 'status'];
    assert.deepEqual(
      sending.filter((name) => !['error', ...sending].includes(name)),
      [],
    );
    const found = await keys();
    assert.deepEqual(
      sending.filter((name) => !found.includes(name)),
      [],
    );
  });

  it('send proofs of a draft with a saved set: 1 to 100, reviewers the first time, 201 and a document to watch', async () => {
    const uri = await create();
    const body = { proofs: 1, reviewers: ['boss@example.org'] };
    assert.equal((await send('POST', `${uri}proofs/`, body)).status, 400);
    await buildSet(api, uri);
    for (const proofs of [0, 101, 'many', null]) assert.equal((await send('POST', `${uri}proofs/`, { ...body, proofs })).status, 400);
    assert.equal((await send('POST', `${uri}proofs/`, { proofs: 1 })).status, 400);
    const answer = await send('POST', `${uri}proofs/`, { ...body, proof_users: [1], date: '2030-05-01' });
    assert.equal(answer.status, 201);
    assert.equal((await send('GET', pathOf(answer.location))).json().finished, false);
    assert.equal((await send('POST', `${uri}proofs/`, { proofs: 100 })).status, 201, 'the reviewers of the last request');
  });

  it('queue with 201 and the progress; recurring ones never; stop with 202, back to draft', async () => {
    const uri = await create({ scheduled_for: '2040-01-01T00:00:00' });
    await buildSet(api, uri);
    const queued = await send('POST', `${uri}queue/`);
    assert.deepEqual([queued.status, queued.text, pathOf(queued.location)], [201, '', `${uri}progress/`]);
    const shown = (await send('GET', uri)).json();
    assert.deepEqual([shown.status, shown.scheduled_for, shown.queued_by], ['scheduled', '2040-01-01T00:00:00', '/rest/v1/authuser/1/']);
    assert.deepEqual(
      [(await send('GET', `${uri}status/`)).json().scheduled_for, (await send('GET', `${uri}progress/`)).json().status],
      ['2040-01-01T00:00:00', 'scheduled'],
    );
    const progress = (await send('GET', `${uri}progress/`)).json();
    for (const name of ['started_at', 'rate', 'progress', 'expected_send_count', 'finished', 'status']) assert.ok(name in progress, name);
    assert.equal((await send('POST', `${uri}stop/`)).status, 202);
    await setMailing(api, uri, { status: 'recurring' });
    assert.equal((await send('POST', `${uri}queue/`)).status, 400);
    assert.equal((await send('POST', `${uri}stop/`)).status, 202);
    assert.equal((await send('GET', uri)).json().status, 'draft');
    assert.equal((await send('POST', `${uri}stop/`)).status, 400);
  });

  it('copy with 201, targeting by default, without it when told', async () => {
    const uri = await create({ includes: { states: ['NY'] }, limit: 9, notes: 'n', tags: ['t'] });
    await buildSet(api, uri);
    for (const [body, includes, limit] of [
      [undefined, { states: ['NY'] }, 9],
      [{ targeting: false, keep_test_group: true }, {}, null],
    ] as const) {
      const answer = await send('POST', `${uri}copy/`, body);
      assert.equal(answer.status, 201);
      const copy = (await send('GET', pathOf(answer.location))).json();
      assert.notEqual(copy.id, idIn(uri));
      assert.deepEqual(
        [copy.includes, copy.limit, copy.notes, copy.tags, copy.status, copy.query_status],
        [includes, limit, 'n', ['t'], 'draft', 'none'],
      );
    }
  });

  it('give results in totals and by subject', async () => {
    const uri = await create({ subjects: ['A', 'B'] });
    const results = (await send('GET', `${uri}results/`)).json();
    assert.equal(results.mailing_id, idIn(uri));
    const names =
      `recipients opens raw_opens total_opens total_raw_opens clicks raw_clicks total_clicks total_raw_clicks actions orders amount amount_converted
      unsubscribes bounces bounces_all complaints new_users failed skipped uncertain`.split(/\s+/);
    for (const part of [results.totals, ...results.subjects])
      assert.deepEqual(
        names.filter((name) => !(name in part)),
        [],
      );
    assert.deepEqual(
      results.subjects.map(({ subject }: { subject: string }) => subject),
      ['A', 'B'],
    );
  });

  it('answer 404 with an empty body, 401 without credentials, 405 with what is allowed', async () => {
    for (const path of ['', 'status/', 'progress/', 'results/'])
      assert.deepEqual(
        [(await send('GET', `/rest/v1/mailer/999999/${path}`)).status, (await send('GET', `/rest/v1/mailer/999999/${path}`)).text],
        [404, ''],
      );
    assert.equal((await fetch(`${base}/rest/v1/mailer/`)).status, 401);
    assert.equal((await send('DELETE', await create())).status, 405);
    assert.equal((await send('GET', '/rest/v1/mailer//1//status')).status, 200, 'slashes too many and too few');
  });
});
