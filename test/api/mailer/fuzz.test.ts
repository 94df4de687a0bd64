import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TARGETING_SCHEMA } from '../../../api/mailer/targeting-schema.ts';
import { INPUT_FIELDS } from '../../../core/mailings/input/fields.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';

const awkward = fc.constantFrom<unknown>(
  null,
  '',
  '0',
  '1',
  -1,
  0,
  1.5,
  2 ** 31,
  1e308,
  '99999999999999999999',
  'NaN',
  true,
  '\u0000',
  '\ud800',
  '💥',
  "'; drop table core_user; --",
  '{{',
  '{% for %}',
  '{{ user.first_name|default:"x" }}',
  '/rest/v1/list/1/',
  '/rest/v1/list/x/',
  'http://platform.test/rest/v1/user/1/',
  'News',
  'select 1',
  'select 1; select 2',
  'select id from auth_user',
  '2030-01-01T00:00:00',
  '0000-00-00',
  '100*',
  '10001-10000',
  'NY',
  'one@example.org',
);
const value = fc.oneof(
  { weight: 3, arbitrary: awkward },
  { weight: 3, arbitrary: fc.array(awkward, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), awkward, { maxKeys: 3 }) },
);
/** What is right for a field, mixed in so that some bodies are taken. */
const GOOD: Record<string, unknown> = {
  subjects: ['Hello', 'Hi {{ user.first_name }}'],
  preview_text: ['Look'],
  html: '<p>{{ user.first_name|default:"friend" }}</p>',
  text: 'x',
  fromline: '"A" <a@example.org>',
  custom_fromline: 'b@example.org',
  reply_to: '',
  emailwrapper: null,
  lang: null,
  landing_page: null,
  mergefile: null,
  fields: { a: 1 },
  notes: 'x',
  tags: ['a', '5'],
  limit: '7',
  sort_by: 'zip',
  mails_per_second: 0.5,
  target_group_from_landing_page: false,
  target_mergefile: false,
  rebuild_query_at_send: true,
  web_viewable: true,
  scheduled_for: '2030-01-01T00:00:00.5Z',
  scheduled_by: null,
  submitter: null,
  requested_proofs: 3,
  reviewers: [1],
  proof_users: ['one@example.org'],
  status: 'sending',
  users: [1],
  lists: ['News'],
  states: ['ny', 'NY'],
  countries: ['Canada'],
  regions: [],
  zips: [501, '100*'],
  counties: ['Kings'],
  cds: null,
  has_donated: true,
  was_monthly_donor: ['any'],
  raw_sql: ['select 1'],
  query_reports: [],
};

const some = (keys: string[]) =>
  fc
    .subarray(keys, { minLength: 1, maxLength: 4 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map((key) => [
            key,
            key in GOOD ? fc.oneof({ weight: 4, arbitrary: fc.constant(GOOD[key]) }, { weight: 1, arbitrary: value }) : value,
          ]),
        ),
      ),
    );
const targeting = fc.oneof(
  { weight: 4, arbitrary: some([...Object.keys(TARGETING_SCHEMA.properties), 'cds', 'nosuch']) },
  { weight: 1, arbitrary: value },
);
const bodies = fc
  .tuple(some([...Object.keys(INPUT_FIELDS), 'targeting_version', 'nosuch', 'status']), fc.option(targeting), fc.option(targeting))
  .map(([fields, includes, excludes]) => ({
    ...(fields as object),
    ...(includes === null ? {} : { includes }),
    ...(excludes === null ? {} : { excludes }),
  }));

describe('whatever is sent to the mailer API', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [1] }]);
  });
  after(() => api.close());

  it('is taken or refused with a reason, never an internal error, and a refusal changes nothing', async () => {
    const uri = await api.create('mailer', { subjects: ['x'] });
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const before = await api.read(uri);
        const answer = await api.call('PATCH', uri, JSON.stringify(body), { 'content-type': 'application/json' });
        assert.ok([202, 400, 409].includes(answer.statusCode), `${answer.statusCode} ${answer.body}`);
        const after = await api.read(uri);
        if (answer.statusCode !== 202) {
          assert.ok(answer.json().errors);
          assert.deepEqual(after, before);
        } else {
          taken++;
          assert.ok(after.targeting_version - before.targeting_version <= 1);
          // What is shown is taken again, and changes nothing.
          const again = await api.call('PATCH', uri, after);
          assert.equal(again.statusCode, 202, again.body);
          assert.equal((await api.read(uri)).targeting_version, after.targeting_version);
        }
        const created = await api.call('POST', '/rest/v1/mailer/', JSON.stringify({ subjects: ['x'], ...body }), {
          'content-type': 'application/json',
        });
        assert.ok([201, 400].includes(created.statusCode), `${created.statusCode} ${created.body}`);
      }),
      { seed: 42, numRuns: 250 },
    );
    assert.ok(taken >= 10, `${taken} were taken`);
  });

  it('is so for every action', async () => {
    const uri = await api.create('mailer', { subjects: ['x'] });
    const action = fc.constantFrom('rebuild', 'proofs', 'queue', 'stop', 'copy');
    const body = fc.oneof(
      value,
      some(['proofs', 'reviewers', 'proof_users', 'date', 'targeting', 'keep_test_group', 'fast_rebuild', 'nosuch']),
    );
    await fc.assert(
      fc.asyncProperty(action, body, async (name, payload) => {
        const answer = await api.call('POST', `${uri}${name}/`, JSON.stringify(payload), { 'content-type': 'application/json' });
        assert.ok([201, 202, 400].includes(answer.statusCode), `${name} ${answer.statusCode} ${answer.body}`);
      }),
      { seed: 42, numRuns: 150 },
    );
  });
});
