import assert from 'node:assert/strict';
import { importUpload } from '../../core/people/import-upload.ts';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { everyTurnMs } from '../support/processor-time.ts';

const idOf = (uri: string) => Number(uri.match(/(\d+)\/$/)![1]);

describe('custom fields', () => {
  let api: TestApi;
  let page: string;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Room' });
    await api.create('signuppage', { name: 'join', list });
    page = await api.create('importpage', { name: 'import', list });
  });
  after(() => api.close());

  const bytesOf = async (table: string, parent: number): Promise<number> => {
    const { rows } = await api.pool.query(
      `select coalesce(sum(octet_length(name) + octet_length(value)), 0)::int as bytes from ${table} where parent_id = $1`,
      [parent],
    );
    return rows[0].bytes;
  };
  const refused = (answer: { statusCode: number; body: string }, field: string, words: RegExp) => {
    assert.equal(answer.statusCode, 400, answer.body);
    assert.ok(answer.body.includes(`"${field}"`), answer.body);
    assert.match(answer.body, words);
  };
  const strange = { authorization: '' };

  it('of one person take little from callers without credentials, however many names and requests', async () => {
    const post = (more: object) => api.call('POST', '/rest/v1/action/', { page: 'join', email: 'a1@example.org', ...more }, strange);
    refused(await post({ user_long: 'x'.repeat(10_001) }), 'user_long', /at most 10000 characters/);
    refused(await post({ user_long: ['x', 'x'.repeat(10_001)] }), 'user_long', /at most 10000 characters/);
    const codes: number[] = [];
    for (let n = 0; n < 15; n++) codes.push((await post({ [`user_f${n}`]: 'ü'.repeat(10_000) })).statusCode);
    assert.deepEqual(codes, [201, 201, 201, 201, ...Array(11).fill(400)]);
    refused(await post({ user_g: 'x'.repeat(9_000), user_h: ['x'.repeat(9_000), 'x'.repeat(9_000)] }), 'user_h', /at most 100000 bytes/);
    const [user] = (await api.read('/rest/v1/user/?email=a1@example.org')).objects;
    assert.ok((await bytesOf('core_userfield', user.id)) <= 100_000);
    assert.equal((await post({ user_f0: 'ü'.repeat(9_000) })).statusCode, 201, 'less than before is always taken');
    refused(await post({ action_long: 'x'.repeat(10_001) }), 'action_long', /at most 10000 characters/);
    refused(await post({ action_a: Array(11).fill('x'.repeat(10_000)) }), 'action_a', /at most 100000 bytes/);
    refused(await post({ action_a: Array(600).fill('x'), action_b: Array(600).fill('x') }), 'action_a', /at most 1000 values/);
  });

  it('of one person or action have a bound for everybody, by whatever way they are written', async () => {
    const user = await api.create('user', { email: 'full@example.org' });
    const full = Array(7).fill('x'.repeat(65_000));
    const patch = (fields: object) => api.call('PATCH', user, { fields });
    assert.equal((await patch({ a: full })).statusCode, 202);
    refused(await patch({ b: 'x'.repeat(60_000) }), 'fields', /at most 500000 bytes/);
    refused(
      await api.call('POST', '/rest/v1/userfield/', { parent: user, name: 'c', value: 'x'.repeat(60_000) }),
      'parent',
      /at most 500000 bytes/,
    );
    const field = await api.create('userfield', { parent: user, name: 'c', value: 'x' });
    refused(await api.call('PATCH', field, { value: 'x'.repeat(60_000) }), 'parent', /at most 500000 bytes/);
    assert.equal((await api.call('PATCH', field, { value: 'y' })).statusCode, 202);

    const { action_id: id } = (
      await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'full@example.org', action_why: 'x' })
    ).json();
    const action = `/rest/v1/signupaction/${id}/`;
    assert.equal((await api.call('PATCH', action, { fields: { a: full } })).statusCode, 202);
    refused(await api.call('PATCH', action, { fields: { b: 'x'.repeat(60_000) } }), 'fields', /at most 500000 bytes/);
    assert.ok((await bytesOf('core_actionfield', id)) <= 500_000);
  });

  it('are not piled up by imports: the line says why it was left out', async () => {
    await api.create('user', { email: 'filled@example.org', fields: { a: Array(7).fill('x'.repeat(65_000)), b: 'x'.repeat(40_000) } });
    const cell = 'y'.repeat(60_000);
    const lines = [
      `filled@example.org,${cell},`,
      `Filled@example.org,,${'z'.repeat(30_000)}`,
      `fresh@example.org,${cell},`,
      `long@example.org,${'x'.repeat(65_536)},`,
    ];
    const csv = `email,user_c,user_b\n${lines.join('\n')}\n`;
    const field = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body =
      field('page', page) +
      field('autocreate_user_fields', 'true') +
      `--b\r\nContent-Disposition: form-data; name="upload"; filename="p.csv"\r\n\r\n${csv}\r\n--b--\r\n`;
    const taken = await api.call('POST', '/rest/v1/upload/', body, { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(taken.statusCode, 201, taken.body);
    const id = idOf(String(taken.headers.location));
    assert.equal(await importUpload(api, id, () => true), false);
    const { objects } = await api.read(`/rest/v1/uploaderror/?upload=${id}&order_by=line`);
    const full = 'A person has at most 500000 bytes of custom fields in 1000 values.';
    assert.deepEqual(
      objects.map(({ line, message }: { line: number; message: string }) => [line, message]),
      [
        [2, full],
        [3, full],
        [5, 'user_c must have at most 65535 characters.'],
      ],
    );
    assert.equal((await api.read('/rest/v1/user/?email=fresh@example.org')).objects[0].fields.c.length, 60_000);
    const [person] = (await api.read('/rest/v1/user/?email=filled@example.org')).objects;
    assert.deepEqual([Object.keys(person.fields), person.fields.b.length], [['a', 'b'], 40_000]);
  });

  it('are not piled up by merges: nobody is merged then', async () => {
    const fields = (name: string) => ({ [name]: Array(5).fill('x'.repeat(60_000)) });
    const [one, other] = [
      await api.create('user', { email: 'one@example.org', fields: fields('a') }),
      await api.create('user', { email: 'other@example.org', fields: fields('b') }),
    ];
    const { rows } = await api.pool.query(
      'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
      [idOf(one), JSON.stringify([idOf(other)])],
    );
    await assert.rejects(
      inOneTransaction(api.pool, (sql) => mergeUsers(sql, rows[0].id)),
      {
        name: 'Error',
        message: 'A person has at most 500000 bytes of custom fields; with those of the others the primary user would have more.',
      },
    );
    assert.deepEqual(Object.keys((await api.read(one)).fields), ['a']);
    assert.deepEqual(Object.keys((await api.read(other)).fields), ['b']);
  });

  it('are shown of no more people in one answer than a process bears, and what strangers write keeps no page from being read', async () => {
    const write = (table: string, parents: string, values: number, length: number) =>
      api.pool.query(
        `insert into ${table} (parent_id, name, value) select p.id, 'n' || n, repeat('x', $2) from ${parents} p, generate_series(1, $1) n`,
        [values, length],
      );
    const make = (kind: string) =>
      api.pool.query(`insert into core_user (email, source) select $1::text || n || '@example.org', $1 from generate_series(1, 100) n`, [
        kind,
      ]);
    await make('stranger');
    await write('core_userfield', "(select id from core_user where source = 'stranger')", 1000, 90);
    const { objects } = await api.read('/rest/v1/user/?source=stranger&_limit=100');
    assert.deepEqual([objects.length, Object.keys(objects[99].fields).length], [100, 1000]);

    await make('filled');
    await write('core_userfield', "(select id from core_user where source = 'filled')", 7, 65_000);
    for (const path of [
      '?source=filled&_limit=100',
      '?source=filled&_limit=100&order_by=-email',
      '?source__in=filled&_limit=100&_count=estimate',
    ]) {
      refused(await api.call('GET', `/rest/v1/user/${path}`), '_limit', /ask for fewer/);
    }
    const some = await api.read('/rest/v1/user/?source=filled&_limit=30');
    assert.deepEqual([some.objects.length, Object.keys(some.objects[29].fields).length], [30, 7]);
    const ids = some.objects.map(({ id }: { id: number }) => id);
    assert.equal((await api.call('GET', `/rest/v1/user/set/${ids.join(';')}/`)).statusCode, 200);

    await api.pool.query(
      `insert into core_action (user_id, page_id, source) select u.id, p.id, 'filled' from core_user u, core_page p where u.source = 'filled' and p.name = 'join'`,
    );
    await write('core_actionfield', "(select id from core_action where source = 'filled')", 7, 65_000);
    refused(await api.call('GET', '/rest/v1/action/?source=filled&_limit=100'), '_limit', /ask for fewer/);
    assert.equal((await api.read('/rest/v1/action/?source=filled&_limit=30')).objects.length, 30);
  });

  it('are shown without holding anybody up where a hundred people have a thousand values of one name', async () => {
    await api.pool.query(
      `with made as (insert into core_user (email, source) select 'many' || n || '@example.org', 'many' from generate_series(1, 100) n returning id)
       insert into core_userfield (parent_id, name, value) select id, 'many', n::text from made, generate_series(1, 1000) n`,
    );
    const url = '/rest/v1/user/?source=many&_limit=100';
    const held = await everyTurnMs(150, async () => assert.equal((await api.read(url)).objects[99].fields.many.length, 1000));
    assert.ok(held < 150, `it held the others for ${Math.round(held)} ms`);
  });
});
