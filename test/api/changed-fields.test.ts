import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { importUpload } from '../../core/people/import-upload.ts';
import { startApi, type TestApi } from '../support/api.ts';

describe('a custom field that changes', () => {
  let api: TestApi;
  let user: string;
  let importPage: number;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'All' });
    await api.create('signuppage', { name: 'join', list });
    importPage = Number((await api.create('importpage', { name: 'import', list })).split('/').at(-2));
    user = await api.create('user', { email: 'ann@example.org', source: 'street', fields: { employer: 'None' } });
  });
  after(() => api.close());

  const state = async () => {
    const { rows } = await api.pool.query(
      `select u.updated_at::text as at, f.value from core_user u left join core_userfield f on f.parent_id = u.id and f.name = 'employer' where u.id = $1`,
      [user.split('/').at(-2)],
    );
    return rows[0] as { at: string; value: string };
  };

  /** Whether the same again is no change, and another value is one. */
  async function writes(write: (employer: string) => Promise<unknown>, first: string, second: string): Promise<void> {
    await write(first);
    const before = await state();
    equal(before.value, first);
    await write(first);
    equal((await state()).at, before.at, 'the same again');
    await write(second);
    const now = await state();
    equal(now.value, second);
    notEqual(now.at, before.at);
  }

  it('is refused under name, by itself, where its name cannot be one', async () => {
    const made = await api.create('userfield', { parent: user, name: 'shoe', value: '42' });
    const answers = [
      await api.call('POST', '/rest/v1/userfield/', { parent: user, name: ' shoe', value: '42' }),
      await api.call('PATCH', made, { name: 'shoe ' }),
    ];
    for (const { statusCode, body } of answers)
      deepEqual([statusCode, JSON.parse(body)], [400, { userfield: { name: ['name cannot be that of a custom field.'] } }]);
    equal((await api.call('DELETE', made)).statusCode, 204);
  });

  it('in an action is a change of the person', () =>
    writes(
      (employer) => api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org', user_employer: employer }),
      'One',
      'Two',
    ));

  it('in an import is a change of the person', () =>
    writes(
      async (employer) => {
        const { rows } = await api.pool.query(
          `insert into core_upload (page_id, columns, line_count) values ($1, '["email","user_employer"]', 1) returning id`,
          [importPage],
        );
        await api.pool.query('insert into core_uploadblock (upload_id, lane, nth, lines) values ($1, 0, 0, $2)', [
          rows[0].id,
          JSON.stringify([[2, 'ann@example.org', employer]]),
        ]);
        await importUpload(api, rows[0].id, () => true);
      },
      'Three',
      'Four',
    ));

  it('is none where a whole object is sent back as it was read', async () => {
    const phones = [{ phone: '212-555-0100', type: 'mobile' }, '212-555-0101'];
    const person = await api.create('user', { email: 'bob@example.org', fields: { pets: ['cat', 'dog'], size: 'L' }, phones });
    const action = (
      await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'cy@example.org', action_pets: ['cat', 'dog'] })
    ).json();
    // Shown to the second, all of them.
    await api.pool.query(`update core_user set updated_at = '2026-01-01T00:00:00.25Z'; update core_action set created_at = '2026-01-01T00:00:00.25Z',
      updated_at = '2026-01-01T00:00:00.25Z'`);
    const all = async () => {
      const asked = `select jsonb_build_array((select jsonb_agg(to_jsonb(u) order by id) from core_user u), (select jsonb_agg(to_jsonb(a) order by id) from core_action a),
        (select jsonb_agg(to_jsonb(f) order by id) from core_userfield f), (select jsonb_agg(to_jsonb(f) order by id) from core_actionfield f),
        (select jsonb_agg(to_jsonb(p) order by id) from core_phone p)) as rows`;
      return (await api.pool.query(asked)).rows[0].rows;
    };
    const before = await all();
    for (const uri of [person, action.resource_uri]) {
      for (const method of ['PUT', 'PATCH'] as const) equal((await api.call(method, uri, await api.read(uri))).statusCode, 202);
    }
    deepEqual(await all(), before);
    for (const [uri, change] of [
      [person, { fields: { pets: ['dog', 'cat'] } }],
      [person, { phones: [] }],
      [action.resource_uri, { fields: { pets: 'cat' } }],
      [action.resource_uri, { created_at: '2026-01-01T00:00:01' }],
    ] as const) {
      await api.pool.query(`update core_user set updated_at = '2026-01-01'; update core_action set updated_at = '2026-01-01'`);
      await api.call('PATCH', uri, change);
      notEqual((await api.read(uri)).updated_at, '2026-01-01T00:00:00', JSON.stringify(change));
    }
  });

  describe('or a phone, written by itself', () => {
    let people: string[];
    let action: string;
    before(async () => {
      people = [await api.create('user', { email: 'dee@example.org' }), await api.create('user', { email: 'eve@example.org' })];
      action = (await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'dee@example.org' })).json().resource_uri;
    });

    /** @returns which of the two people, and whether the action, changed */
    async function changed(method: string, at: string, body?: object): Promise<[boolean, boolean, boolean]> {
      await api.pool.query(`update core_user set updated_at = '2026-01-01'; update core_action set updated_at = '2026-01-01'`);
      const answer = await api.call(method, at, body);
      equal(Math.floor(answer.statusCode / 100), 2, answer.body);
      const now = await Promise.all([...people, action].map(async (uri) => (await api.read(uri)).updated_at !== '2026-01-01T00:00:00'));
      return now as [boolean, boolean, boolean];
    }
    const last = async (collection: string) => (await api.read(`${collection}?order_by=-id&_limit=1`)).objects[0].resource_uri as string;

    it('is a change of whose it is and of whose it was, and none where it is as it was', async () => {
      const [dee, eve] = people;
      for (const [collection, owner, made, other] of [
        ['/rest/v1/userfield/', 'parent', { name: 'size', value: 'L' }, { value: 'M' }],
        ['/rest/v1/phone/', 'user', { phone: '212-555-0100' }, { phone: '212-555-0101' }],
      ] as const) {
        deepEqual(await changed('POST', collection, { [owner]: dee, ...made }), [true, false, false], `${collection} made`);
        const uri = await last(collection);
        deepEqual(await changed('PATCH', uri, await api.read(uri)), [false, false, false], `${collection} as it was`);
        deepEqual(await changed('PATCH', uri, other), [true, false, false], `${collection} changed`);
        deepEqual(await changed('PATCH', uri, { [owner]: eve }), [true, true, false], `${collection} given to somebody else`);
        deepEqual(await changed('DELETE', uri), [false, true, false], `${collection} deleted`);
      }
    });

    it('is one of the action whose field it is', async () => {
      deepEqual(await changed('POST', '/rest/v1/actionfield/', { parent: action, name: 'size', value: 'L' }), [false, false, true]);
      const uri = await last('/rest/v1/actionfield/');
      deepEqual(await changed('PATCH', uri, await api.read(uri)), [false, false, false]);
      deepEqual(await changed('PATCH', uri, { value: 'M' }), [false, false, true]);
      deepEqual(await changed('DELETE', uri), [false, false, true]);
    });
  });
});
