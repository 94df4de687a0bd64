import assert from 'node:assert/strict';
import { readContent } from '../../../core/sending/content.ts';
import { recipientColumns } from '../../../core/sending/recipient-columns.ts';
import { akid } from '../../../domain/akid.ts';
import { compileMailing } from '../../../mail/compile.ts';
import type { Recipient } from '../../../mail/contracts.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('a merge file', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ MERGEFILE_LIMIT: '20000' });
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      ['ann', 'bob', 'cat', 'dan'].map((name, index) => ({ id: index + 1, email: `${name}@example.org`, state: 'NY', lists: [1] })),
    );
  });
  after(() => api.close());

  function send(csv: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const parts = Object.entries(fields).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\nContent-Type: text/csv\r\n\r\n`;
    const body = `${parts.join('')}${file}${csv}\r\n--b--\r\n`;
    return api.call('POST', '/rest/v1/mergefile/', body, { 'content-type': 'multipart/form-data; boundary=b', ...headers });
  }
  async function upload(csv: string, fields?: Record<string, string>): Promise<string> {
    const answer = await send(csv, fields);
    assert.equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).slice(api.env.BASE_URL.length);
  }
  const rows = async (uri: string) =>
    (await api.pool.query('select user_id, values from core_mergefilerow where mergefile_id = $1 order by user_id', [idIn(uri)])).rows;
  /** What one person's mail says. */
  async function mailTo(uri: string, userId: number): Promise<string> {
    const { content } = await readContent(api.pool, idIn(uri), 'default@example.org');
    const mail = compileMailing(content, { baseUrl: 'http://x.test', mailDomain: 'x.test', secretKey: 's' });
    const found = await api.pool.query<Recipient>(
      `select u.id as user_id, 0 as position, u.email${recipientColumns(mail)} from core_user u where u.id = $1`,
      [userId],
    );
    return mail.render(found.rows[0]!).message.replaceAll('=\r\n', '');
  }

  it('may be parted by tabs or semicolons, as spreadsheets save it', async () => {
    for (const [parted, values] of [
      ['email\tcolor\tpet\nann@example.org\tred, dark\t\nbob@example.org\t\tcat\n', ['red, dark', '', '', 'cat']],
      ['email;color;pet\r\nann@example.org;"red; dark";1,5\r\nbob@example.org;;cat\r\n', ['red; dark', '1,5', '', 'cat']],
    ] as const) {
      const uri = await upload(parted);
      const found = (await rows(uri)).flatMap(({ values: { color, pet } }) => [color, pet]);
      assert.deepEqual([(await api.read(uri)).columns, found], [['email', 'color', 'pet'], values]);
    }
  });

  it('has the rows of those it names by email, id or akid; the last of two counts, and nobody’s is left out', async () => {
    const uri = await upload(
      '\uFEFFemail,color,"First pet"\r\nANN@example.org,red,"cat, ""Tom"""\nbob@example.org,blue,\nnobody@example.org,x,y\nann@example.org,green,dog\n,,\n , ,\n',
      {
        name: 'Colors',
      },
    );
    const shown = await api.read(uri);
    assert.deepEqual(
      [shown.name, shown.filename, shown.status, shown.row_count, shown.lookup_column, shown.columns, shown.error],
      ['Colors', 'rows.csv', 'loaded', 2, 'email', ['email', 'color', 'First pet'], '1 of 4 rows name nobody.'],
    );
    assert.deepEqual(await rows(uri), [
      { user_id: 1, values: { email: 'ann@example.org', color: 'green', 'First pet': 'dog' } },
      { user_id: 2, values: { email: 'bob@example.org', color: 'blue', 'First pet': '' } },
    ]);
    const byId = await upload('color,user_id\nred,2\nblue,99\nx,abc\ny,99999999999\n');
    assert.deepEqual(
      (await rows(byId)).map(({ user_id }) => user_id),
      [2],
    );
    assert.deepEqual([(await api.read(byId)).name, (await api.read(byId)).lookup_column], ['rows.csv', 'user_id']);
    const mine = akid(api.env.SECRET_KEY, null, 3);
    const byAkid = await upload(`akid,color\n${mine},red\n.4.forged,blue\n`);
    assert.deepEqual(
      (await rows(byAkid)).map(({ user_id }) => user_id),
      [3],
    );
  });

  it('does not tell who is known to whoever may not read people', async () => {
    const group = await api.create('authgroup', { name: 'senders of files', grants: ['mergefile:read', 'mergefile:write'] });
    await api.create('authuser', { username: 'sender', password: 'sender-password', groups: [group] });
    const authorization = basic({ username: 'sender', password: 'sender-password' });
    const shown = async (csv: string) => {
      const answer = await send(csv, {}, { authorization });
      assert.equal(answer.statusCode, 201, answer.body);
      const { row_count, error } = await api.read(String(answer.headers.location).slice(api.env.BASE_URL.length));
      return [row_count, error, (await rows(String(answer.headers.location))).length];
    };
    assert.deepEqual(await shown('email,x\nann@example.org,1\n'), [1, '', 1]);
    assert.deepEqual(await shown('email,x\nnobody@example.org,1\n'), [1, '', 0]);
    assert.deepEqual(await shown('user_id,x\n1,1\n99,1\nabc,1\n'), [2, '1 of 3 rows name nobody.', 1]);
    // Nor which of many akids is one: those are not to be guessed.
    const right = akid(api.env.SECRET_KEY, null, 1);
    assert.deepEqual(await shown('akid,x\n.1.wrong1,1\n.1.wrong2,1\nabc,1\n'), [2, '1 of 3 rows name nobody.', 0]);
    assert.deepEqual(await shown(`akid,x\n.1.wrong1,1\n${right},1\nabc,1\n`), [2, '1 of 3 rows name nobody.', 1]);
  });

  it('is not counted by whoever may not read people: how many are left would say who is known, and what of them', async () => {
    const grants = ['mergefile:read', 'mergefile:write', 'mailer:read', 'mailer:write'];
    const group = await api.create('authgroup', { name: 'writers of mailings', grants });
    await api.create('authuser', { username: 'writer', password: 'writer-password', groups: [group] });
    const authorization = basic({ username: 'writer', password: 'writer-password' });
    const call = (method: string, url: string, body?: object) => api.call(method, url, body, { authorization });
    const refused = async (method: string, url: string, body: object) => {
      const answer = await call(method, url, body);
      assert.deepEqual([answer.statusCode, answer.json().errors], [403, { permission: ['user:read'] }], JSON.stringify(body));
    };
    const answer = await send('email,x\nann@example.org,1\n', {}, { authorization });
    const mergefile = String(answer.headers.location).slice(api.env.BASE_URL.length);
    const other = await upload('email,x\nann@example.org,1\nbob@example.org,1\n');
    await refused('POST', '/rest/v1/mailer/', { subjects: ['x'], mergefile, target_mergefile: true, includes: { states: ['NY'] } });
    // Its rows may be shown; its people may not be picked out.
    const made = await call('POST', '/rest/v1/mailer/', { subjects: ['x'], mergefile });
    assert.equal(made.statusCode, 201, made.body);
    const uri = String(made.headers.location).slice(api.env.BASE_URL.length);
    await refused('PATCH', uri, { target_mergefile: true });
    // Who may read people has it so: it stays, but not with another file.
    assert.equal((await api.call('PATCH', uri, { target_mergefile: true })).statusCode, 202);
    assert.equal((await call('PATCH', uri, { target_mergefile: true, mergefile, notes: 'as it was' })).statusCode, 202);
    await refused('PATCH', uri, { mergefile: other });
    assert.equal((await call('PATCH', uri, { target_mergefile: false, mergefile: other })).statusCode, 202);
    const grant = await api.create('authgroup', { name: 'readers of people', grants: ['user:read'] });
    const [account] = (await api.read('/rest/v1/authuser/?username=writer')).objects;
    await api.call('PATCH', account.resource_uri, { groups: [group, grant] });
    assert.equal((await call('PATCH', uri, { target_mergefile: true })).statusCode, 202);
    assert.equal((await call('GET', `${uri}audience/`)).json().people, 2);
  });

  it('is given to a mailing, which shows its rows, by whoever may read it; kept and taken away by all who may write the mailing', async () => {
    const group = await api.create('authgroup', { name: 'no files', grants: ['mailer:read', 'mailer:write', 'mailer:send', 'user:read'] });
    await api.create('authuser', { username: 'blind', password: 'blind-password', groups: [group] });
    const authorization = basic({ username: 'blind', password: 'blind-password' });
    const call = (method: string, url: string, body: object) => api.call(method, url, body, { authorization });
    const mergefile = await upload('email,secret\nann@example.org,hush\n');
    const given = { subjects: ['x'], html: '{{ row.secret }}', mergefile };
    const uri = await api.create('mailer', { subjects: ['x'] });
    for (const [method, url, body] of [
      ['POST', '/rest/v1/mailer/', given],
      ['POST', '/rest/v1/mailing/', given],
      ['PATCH', uri, { mergefile }],
      ['PATCH', uri, { mergefile, target_mergefile: true }],
    ] as const) {
      const { statusCode, body: said } = await call(method, url, body);
      assert.deepEqual([statusCode, JSON.parse(said || '{}').errors], [403, { permission: ['mergefile:read'] }], `${method} ${url}`);
    }
    assert.equal((await api.call('PATCH', uri, { mergefile })).statusCode, 202);
    assert.equal((await call('PATCH', uri, { ...given, notes: 'as it was' })).statusCode, 202);
    assert.equal((await call('POST', `${uri}copy/`, {})).statusCode, 201);
    assert.equal((await call('PATCH', uri, { mergefile: null, html: '' })).statusCode, 202);
    assert.equal((await call('PATCH', uri, { mergefile })).statusCode, 403);
  });

  for (const [what, csv, message] of [
    ['without a column that names people', 'name,color\nx,y\n', /email, user_id, akid/],
    ['with a column twice', 'email,a,a\nx,y,z\n', /same name/],
    ['with a column without a name', 'email,\nx,y\n', /needs a name/],
    ['with a line too short', 'email,a\nann@example.org\n', /line 2/],
    ['with an open quote', 'email,a\nann@example.org,"x\n', /cannot be read/],
    ['with a NUL character', 'email,a\nann@example.org,\0\n', /NUL/],
    ['that is empty', '', /empty/],
    ['that is too large', `email,a\n${'ann@example.org,x\n'.repeat(2000)}`, /too large/],
  ] as const) {
    it(`${what} is refused and leaves nothing`, async () => {
      const before = (await api.read('/rest/v1/mergefile/')).meta.total_count;
      const answer = await send(csv);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.match(answer.body, message);
      assert.equal((await api.read('/rest/v1/mergefile/')).meta.total_count, before);
    });
  }

  it('is asked for as a form', async () => {
    assert.equal((await api.call('POST', '/rest/v1/mergefile/', { name: 'x' })).statusCode, 400);
    assert.equal((await send('email\nann@example.org\n', {}, { 'content-type': 'multipart/form-data' })).statusCode, 400);
    assert.equal((await send('email\nann@example.org\n', {}, { authorization: '' })).statusCode, 401);
  });

  it('narrows the audience to its people and shows each their row', async () => {
    const file = await upload('email,color\nann@example.org,<red>\ncat@example.org,\n');
    const uri = await api.create('mailer', {
      ...READY,
      html: '<p>[{{ row.color|default:"none" }}]</p>',
      mergefile: file,
      target_mergefile: true,
    });
    assert.deepEqual([(await api.read(uri)).mergefile, (await api.read(uri)).target_mergefile], [file, true]);
    assert.equal(await buildSet(api, uri), 2);
    assert.ok((await mailTo(uri, 1)).includes('[&lt;red&gt;]'));
    assert.ok((await mailTo(uri, 2)).includes('[none]'));
    const copied = await api.call('POST', `${uri}copy/`, {});
    assert.equal((await api.read(String(copied.headers.location).slice(api.env.BASE_URL.length))).mergefile, file);
    const other = await upload('email\nann@example.org\nbob@example.org\ncat@example.org\n');
    await api.call('PATCH', uri, { mergefile: other });
    assert.deepEqual([(await api.read(uri)).query_status, (await api.read(uri)).targeting_version], ['invalid', 2]);
    assert.equal(await buildSet(api, uri), 3);
    await assert.rejects(mailTo(uri, 1), /no column “color”/);
    assert.equal((await api.call('DELETE', other)).statusCode, 400);
    assert.equal((await api.call('PATCH', uri, { mergefile: null })).statusCode, 400);
    assert.equal((await api.call('PATCH', uri, { mergefile: null, target_mergefile: false })).statusCode, 202);
    assert.equal((await api.call('DELETE', other)).statusCode, 204);
    await assert.rejects(mailTo(uri, 1), /row needs a mergefile/);
    await buildSet(api, uri);
    const queued = await api.call('POST', `${uri}queue/`);
    assert.deepEqual([queued.statusCode, Object.keys(queued.json().errors)], [400, ['mergefile']]);
  });

  it('shows in templates a person’s location and the targets of the landing page that stand for them', async () => {
    const [targets] = await Promise.all([
      api.create('target', { type: 'senate', first: 'Sue', last: 'Senator', state: 'NY', phone: '555-0100' }),
      api.pool.query(`insert into core_location (user_id, us_district, us_county) values (1, 'NY_12', 'Kings')`),
    ]);
    const house = await api.create('target', { type: 'house', first: 'Hal', last: 'House', state: 'NY', us_district: 'NY_12' });
    const elsewhere = await api.create('target', { type: 'house', first: 'Eve', last: 'Elsewhere', state: 'NY', us_district: 'NY_01' });
    const group = await api.create('specialtargetgroup', { name: 'Them', targets: [targets, house, elsewhere] });
    const page = await api.create('whipcountpage', { name: 'calls', target_groups: [group] });
    const html = '<p>{{ user.location.us_county }}:{% for t in targets %}{{ t.name }},{% endfor %}</p>';
    const refused = await api.call('POST', '/rest/v1/mailer/', { ...READY, html });
    assert.equal(refused.statusCode, 400);
    assert.deepEqual(Object.keys(refused.json().errors), ['landing_page']);
    const uri = await api.create('mailer', READY);
    assert.equal((await api.call('PATCH', uri, { html })).statusCode, 400);
    assert.equal((await api.call('PATCH', uri, { html, landing_page: page, target_group_from_landing_page: true })).statusCode, 202);
    const taken = { landing_page: null, target_group_from_landing_page: false };
    assert.deepEqual(Object.keys((await api.call('PATCH', uri, taken)).json().errors), ['landing_page']);
    assert.match(await mailTo(uri, 1), /Kings:Hal House,Sue Senator,/);
    assert.match(await mailTo(uri, 2), />:Sue Senator,/);
    assert.equal(await buildSet(api, uri), 4);
    const wrong = await api.call('POST', '/rest/v1/mailer/', { ...READY, html: '{{ user.location.planet }}' });
    assert.equal(wrong.statusCode, 400);
    // The page goes while the mailing waits: whoever rebuilds, proofs or queues it is told.
    await api.call('PATCH', uri, { target_group_from_landing_page: false });
    await buildSet(api, uri);
    await api.pool.query('update core_mailing set landing_page_id = null where id = $1', [idIn(uri)]);
    for (const [action, body] of [
      ['rebuild', {}],
      ['proofs', { proofs: 1, reviewers: ['a@example.org'] }],
      ['queue', {}],
    ] as const) {
      const answer = await api.call('POST', `${uri}${action}/`, body);
      assert.equal(answer.statusCode, 400, action);
      assert.match(answer.json().errors.landing_page[0], /targets needs a landing_page/);
    }
  });

  it('shows of a target whatever the resource shows of them', async () => {
    const uri = await api.create('target', {
      type: 'executive',
      ...{ first: 'Gil', last: 'Governor', title: 'Gov.', long_title: 'Governor', state: 'NY', gender: 'F', party: 'Independent' },
      ...{ country: 'United States', phone: '555-0101', fax: '555-0102', email: 'gil@ny.example', seat: 'Albany' },
    });
    const group = await api.create('specialtargetgroup', { name: 'The governor', targets: [uri] });
    const landing_page = await api.create('whipcountpage', { name: 'governor', target_groups: [group] });
    const { us_district: _, hidden: __, created_at: ___, updated_at: ____, resource_uri: _____, ...target } = await api.read(uri);
    const names = Object.keys(target);
    assert.ok(names.includes('title_full') && names.includes('their'), names.join());
    const shown = names.map((name) => `<i>${name}: {{ t.${name} }}</i>`).join('');
    const mailing = await api.create('mailer', { ...READY, html: `<p>{% for t in targets %}${shown}{% endfor %}</p>`, landing_page });
    const mail = await mailTo(mailing, 1);
    for (const name of names) assert.ok(mail.includes(`<i>${name}: ${target[name]}</i>`), `${name} in ${mail}`);
  });
});
