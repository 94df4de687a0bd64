import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { eraseUser } from '../../core/people/erase.ts';
import { peopleByStatus } from '../../core/people/growth.ts';
import { importUpload } from '../../core/people/import-upload.ts';
import { tryUpload } from '../../core/people/try-upload.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { wireOf } from '../../tools/fuzz/send.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { erase } from '../support/erasing.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('the record that is left of somebody erased', () => {
  let api: TestApi;
  let list: string;
  let user: string;
  /** The placeholder that stands for their address. */
  let email: string;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('donationpage', { name: 'give', list });
    user = await api.create('user', { email: 'gone@example.org' });
    await erase(api.pool, (await api.read(user)).id);
    ({ email } = await api.read(user));
  });
  after(() => api.close());

  const untouched = async () => {
    const { first_name, subscription_status } = await api.read(user);
    const { total_count } = (await api.read(`/rest/v1/subscription/?user=${user}`)).meta;
    assert.deepEqual([first_name, subscription_status, total_count], ['', 'never', 0]);
  };

  it('comes onto no list by a subscription that staff make', async () => {
    const answer = await api.call('POST', '/rest/v1/subscription/', { user, list });
    const { id } = await api.read(user);
    assert.deepEqual([answer.statusCode, answer.json()], [400, { subscription: { user: [`User ${id} was erased.`] } }]);
    await untouched();
  });

  it('takes no action and no donation by its placeholder address', async () => {
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', email, first_name: 'Ann' });
    assert.deepEqual([acted.statusCode, Object.keys(acted.json().errors)], [400, ['email']]);
    const donated = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email, first_name: 'Ann' } }));
    assert.deepEqual([donated.statusCode, Object.keys(donated.json().user)], [400, ['email']]);
    await untouched();
  });

  it('is made by nobody who comes by such an address, from another installation, say', async () => {
    const ann = await api.create('user', { email: 'ann@example.org' });
    const such = 'Erased-0c0ffee0@erased.invalid';
    const called: [method: 'POST' | 'PATCH', url: string, body: object][] = [
      ['POST', '/rest/v1/action/', { page: 'join', email: such }],
      ['POST', '/rest/v1/donationpush/', donation({ user: { email: such } })],
      ['POST', '/rest/v1/user/', { email: such }],
      ['POST', '/rest/v1/user/', { email: such, zip: '10001', fields: { shirt: 'L' } }],
      ['PATCH', ann, { email: such.toLowerCase() }],
    ];
    for (const [method, url, body] of called) {
      const answer = await api.call(method, url, body);
      assert.deepEqual([answer.statusCode, answer.body.includes('erased')], [400, true], `${method} ${url} ${answer.body}`);
    }
    assert.equal((await api.read('/rest/v1/user/?email__iendswith=@erased.invalid')).meta.total_count, 1);
    assert.equal((await peopleByStatus(sqlOn(api.pool))).erased, 1);
  });

  it('is given nothing of anybody by staff or a client that still has it; as it was read it can be sent back', async () => {
    const whole = await api.read(user);
    assert.equal((await api.call('PUT', user, whole)).statusCode, 202);
    assert.equal((await api.call('PATCH', user, { first_name: '', phones: [], fields: { shirt: null } })).statusCode, 202);
    const lang = await api.create('language', { name: 'English', iso_code: 'en' });
    for (const [field, value] of [
      ['email', 'given@example.org'],
      ['first_name', 'Ann'],
      ['zip', '10001'],
      ['source', 'crm'],
      ['lang', lang],
      ['phones', ['212 555 0100']],
      ['fields', { shirt: 'L' }],
    ] as const) {
      const answer = await api.call('PATCH', user, { [field]: value });
      assert.deepEqual([field, answer.statusCode, answer.json()], [field, 400, { user: { [field]: [`User ${whole.id} was erased.`] } }]);
    }
    for (const [resource, body, field] of [
      ['phone', { user, phone: '212 555 0100' }, 'user'],
      ['userfield', { parent: user, name: 'shirt', value: 'L' }, 'parent'],
      ['usergeofield', { user, name: 'ward', value: '5' }, 'user'],
    ] as const) {
      const answer = await api.call('POST', `/rest/v1/${resource}/`, body);
      assert.deepEqual([answer.statusCode, answer.json()], [400, { [resource]: { [field]: [`User ${whole.id} was erased.`] } }]);
    }
    const together = await api.call('PATCH', user, { groups: [], first_name: 'Ann' });
    assert.deepEqual([together.statusCode, together.json()], [400, { user: { first_name: [`User ${whole.id} was erased.`] } }]);
    const { updated_at: _, ...now } = await api.read(user);
    const { updated_at: __, ...before } = whole;
    assert.deepEqual(now, before);
    assert.equal((await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'given@example.org' })).statusCode, 201);
    await untouched();
  });

  it('is given nothing either by a change that waited for the erasure', async () => {
    const going = await api.create('user', { email: 'going@example.org' });
    const { id } = await api.read(going);
    const changes = [
      ['PATCH', going, { first_name: 'Ann' }],
      ['PATCH', going, { city: 'Albany', fields: { shirt: 'L' } }],
      ['POST', '/rest/v1/phone/', { user: going, phone: '212 555 0100' }],
      ['POST', '/rest/v1/userfield/', { parent: going, name: 'shirt', value: 'L' }],
    ] as const;
    const { rows } = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [id]);
    const answers = await inOneTransaction(api.pool, async (sql) => {
      await eraseUser(sql, rows[0].id, 'secret');
      const sent = Promise.all(changes.map(([method, path, body]) => api.call(method, path, body)));
      await untilWaiting(api.pool, changes.length);
      return { sent };
    });
    assert.deepEqual(
      (await answers.sent).map(({ statusCode }) => statusCode),
      changes.map(() => 400),
    );
    const { first_name, city, phones, fields } = await api.read(going);
    assert.deepEqual([first_name, city, phones, fields], ['', '', [], {}]);
  });

  it('leaves no trace of an address with a domain beyond ASCII, which relays write in their own way', async () => {
    const { id } = await api.read(await api.create('user', { email: 'zoe@bücher.example' }));
    await api.pool.query(
      `insert into core_bounce (user_id, kind, report_id, diagnostic) values ($1, 'soft', 'said', 'forwarded to <zoe@xn--bcher-kva.example>: full')`,
      [(await api.read(await api.create('user', { email: 'shared@example.org' }))).id],
    );
    const refused = donation({ user: { email: 'Zoe@xn--bcher-kva.example' }, order: { amount: 'much' } });
    assert.equal((await api.call('POST', '/rest/v1/donationpush/', refused)).statusCode, 400);
    const options = JSON.stringify(['order_user_details']);
    const { rows } = await api.pool.query('insert into core_erasure (user_id, options) values ($1, $2) returning id', [id, options]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
    const left = await api.pool.query(
      `select diagnostic as text from core_bounce where report_id = 'said' union all select email from core_donationattempt where email ilike '%zoe%'`,
    );
    assert.deepEqual(left.rows, [{ text: 'forwarded to <…>: full' }]);
  });

  it('is skipped by an import, which says so', async () => {
    const page = await api.create('importpage', { name: 'import', list });
    const csv = `email,first_name\n${email.toUpperCase()},Ann\nben@example.org,Ben\nerased-of-another@erased.invalid,\n`;
    const tried: unknown[] = [];
    for await (const line of tryUpload(sqlOn(api.pool), Readable.from([csv]), ['email', 'first_name'], true)) tried.push(line);
    assert.deepEqual(tried, [
      { line: 2, outcome: 'wrong', detail: 'This person was erased.' },
      { line: 3, outcome: 'new', detail: '' },
      { line: 4, outcome: 'wrong', detail: 'This person was erased.' },
    ]);
    const file = 'Content-Disposition: form-data; name="upload"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n';
    const form = `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\n${page}\r\n--b\r\n${file}${csv}\r\n--b--\r\n`;
    const sent = await api.call('POST', '/rest/v1/upload/', Buffer.from(form), { 'content-type': 'multipart/form-data; boundary=b' });
    const upload = String(sent.headers.location).slice(api.env.BASE_URL.length);
    await importUpload(api, Number(/(\d+)\/$/.exec(upload)![1]), () => true);
    const { status, errors } = await api.read(upload);
    const said = (await api.read(errors)).objects.map(({ line, message }: { line: number; message: string }) => [line, message]);
    const erased = [2, 4].map((line) => [line, 'This person was erased.']);
    assert.deepEqual([status, said], ['completed', erased]);
    assert.equal((await api.read('/rest/v1/user/?email=ben@example.org')).objects[0].subscription_status, 'subscribed');
    await untouched();
  });

  it('is not brought back by a file that had come before it was over; by one that comes later they are', async () => {
    await api.pool.query(`insert into core_user (email) values ('kim@example.org')`);
    const page = await api.create('importpage', { name: 'late' });
    const csv = 'email,first_name,user_shoe\nKIM@example.org,Kim,37\nlea@example.org,Lea,38\nkim@example.org,Kim,39\n';
    const form = (await wireOf(
      { page, autocreate_user_fields: 'true', upload: { filename: 'people.csv', content: csv } },
      { kind: 'files' },
    ))!;
    const take = async () => {
      const { headers } = await api.call('POST', '/rest/v1/upload/', form.payload, form.headers);
      return String(headers.location).slice(api.env.BASE_URL.length);
    };
    const bring = async (upload: string) => {
      await importUpload(api, Number(/(\d+)\/$/.exec(upload)![1]), () => true);
      const { status, errors } = await api.read(upload);
      const said = (await api.read(errors)).objects.map(({ line, message }: { line: number; message: string }) => [line, message]);
      const { rows } = await api.pool.query(
        `select email, value from core_user u join core_userfield f on f.parent_id = u.id where f.name = 'shoe' order by email`,
      );
      return [status, said, rows.map(({ email, value }) => `${email} ${value}`)];
    };
    let early = '';
    await inOneTransaction(api.pool, async (sql) => {
      const [job] = await sql<{ id: number }>(
        `insert into core_erasure (user_id) select id from core_user where email = 'kim@example.org' returning id`,
      );
      early = await take();
      await eraseUser(sql, job!.id, api.env.SECRET_KEY);
    });
    const erased = [2, 4].map((line) => [line, 'This person was erased.']);
    assert.deepEqual(await bring(early), ['completed', erased, ['lea@example.org 38']]);
    assert.deepEqual(await bring(await take()), ['completed', [], ['KIM@example.org 39', 'lea@example.org 38']]);
  });

  it('has each action written once, though its address goes and fields of it go', async () => {
    const { rows } = await api.pool.query<{ id: number }>(
      `with u as (insert into core_user (email) values ('acted@example.org') returning id),
         a as (insert into core_action (user_id, page_id, ip_address) select u.id, p.id, '192.0.2.1' from u, core_page p, generate_series(1, 3) where p.name = 'join' returning id),
         f as (insert into core_actionfield (parent_id, name, value) select id, 'why', 'so' from a)
       insert into core_erasure (user_id, options) select id, '["action_fields"]' from u returning id`,
    );
    const written = await inOneTransaction(api.pool, async (sql) => {
      // The server counts per connection, what transactions before this one wrote and it has not reported yet included.
      const many = async () => Number((await sql(`select pg_stat_get_xact_tuples_updated('core_action'::regclass) as many`))[0]!.many);
      const before = await many();
      await eraseUser(sql, rows[0]!.id, 'secret');
      return (await many()) - before;
    });
    assert.equal(written, 3);
  });
});
