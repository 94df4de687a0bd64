import assert from 'node:assert/strict';
import { stringify } from 'node:querystring';
import { gzipSync } from 'node:zlib';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { makeReady } from '../support/mailings.ts';

// What clients in the field send, as they send it.

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const SITE = 'https://www.example.org';

describe('what clients are in the habit of sending', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ API_BODY_LIMIT: '8192', CORS_ORIGINS: `${SITE} https://Other.Example.org:443` });
    await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list: 1 });
  });
  after(() => api.close());

  it('are forms whose names say what is inside', async () => {
    await api.create('alloweduserfield', { name: 'shirt' });
    await api.create('alloweduserfield', { name: 'sizes' });
    const sent = async (more: string) => {
      const body = `email=${Math.random()}%40example.org&${encodeURI(more)}`;
      const made = await api.call('POST', '/rest/v1/user/', body, FORM);
      assert.equal(made.statusCode, 201, made.body);
      const user = await api.read(String(made.headers.location).slice(api.env.BASE_URL.length));
      const phones = await Promise.all(user.phones.map((uri: string) => api.read(uri)));
      return { fields: user.fields, phones: phones.map(({ phone, type }) => [phone, type]) };
    };
    const two = [
      ['555 0100', 'work'],
      ['555 0101', 'mobile'],
    ];
    const repeated = 'phones[][phone]=555 0100&phones[][type]=work&phones[][phone]=555 0101&phones[][type]=mobile';
    assert.deepEqual((await sent(repeated)).phones, two);
    const placed = 'phones[0][phone]=555 0100&phones[0][type]=work&phones[1][phone]=555 0101&phones[1][type]=mobile';
    assert.deepEqual((await sent(placed)).phones, two);
    assert.deepEqual((await sent('phones[]=555 0100')).phones, [['555 0100', 'home']]);
    assert.deepEqual((await sent('fields[shirt]=L&fields[sizes][]=1&fields[sizes][]=2')).fields, { shirt: 'L', sizes: ['1', '2'] });
    assert.deepEqual((await sent('fields[constructor]=x&phones[]=')).phones, []);
    const proto = await api.call('POST', '/rest/v1/user/', 'email=p%40example.org&fields[__proto__]=x', FORM);
    assert.deepEqual([proto.statusCode, Object.keys(proto.json().user)], [400, ['fields']]);
    const odd = await api.call('POST', '/rest/v1/user/', 'email=o%40example.org&phones[a]=1', FORM);
    assert.deepEqual([odd.statusCode, Object.keys(odd.json().user)], [400, ['phones']]);
    const deep = await api.call('POST', '/rest/v1/user/', `email=d%40example.org&phones${'[]'.repeat(30_000)}=1`, FORM);
    assert.ok(deep.statusCode < 500, deep.body);
  });

  it('takes a form on POST, PUT and PATCH of plain resources like JSON', async () => {
    const made = await api.call('POST', '/rest/v1/user/', 'email=form%40example.org&first_name=Zo%C3%AB&fields[shirt]=L&lang=', FORM);
    assert.equal(made.statusCode, 201, made.body);
    const uri = String(made.headers.location).replace(api.env.BASE_URL, '');
    const shown = await api.read(uri);
    assert.deepEqual([shown.first_name, shown.fields, shown.lang], ['Zoë', { shirt: 'L' }, null]);
    assert.equal((await api.call('PATCH', uri, 'fields[colors][]=red&fields[colors][]=blue', FORM)).statusCode, 202);
    assert.deepEqual((await api.read(uri)).fields, { shirt: 'L', colors: ['red', 'blue'] });
    const tags = [await api.create('tag', { name: 'a' }), await api.create('tag', { name: 'b' })];
    for (const [body, count] of [
      [`tags[]=${tags[0]}&tags[]=${tags[1]}`, 2],
      [`tags=${tags[0]}`, 1],
      [`tags=${encodeURIComponent(JSON.stringify(tags))}`, 2],
      ['tags=', 0],
    ] as const) {
      const put = await api.call('PUT', '/rest/v1/signuppage/1/', `title=Join&${body}`, FORM);
      assert.equal(put.statusCode, 202, put.body);
      assert.equal((await api.read('/rest/v1/signuppage/1/')).tags.length, count, body);
    }
    const refused = await api.call('POST', '/rest/v1/user/', 'first_name=x&lang=none', FORM);
    assert.deepEqual(Object.keys(refused.json().user), ['email', 'lang']);
    assert.equal((await api.call('POST', '/rest/v1/mailer/', 'subjects=x', FORM)).statusCode, 415);
  });

  it('takes a form under the type of JSON, or none, for all that a form says', async () => {
    const uri = await api.create('user', { email: 'typed@example.org' });
    for (const [type, size] of [
      ['application/json', 'L'],
      [undefined, 'M'],
    ] as const) {
      const headers: Record<string, string> = type ? { 'content-type': type } : {};
      const patch = await api.call('PATCH', uri, `first_name=Ann&lang=&fields[shirt]=${size}&phones[][phone]=2025550101`, headers);
      assert.equal(patch.statusCode, 202, patch.body);
      const shown = await api.read(uri);
      assert.deepEqual([shown.first_name, shown.fields, shown.phones.length], ['Ann', { shirt: size }, 1]);
    }
  });

  it('takes JSON under the type of a form, which libraries give a body whose type nobody said', async () => {
    const uri = await api.create('user', { email: 'untyped@example.org' });
    const patch = await api.call('PATCH', uri, ' {"first_name": "Ann", "lang": null, "fields": {"shirt": ["L", "M"]}}', FORM);
    assert.equal(patch.statusCode, 202, patch.body);
    const shown = await api.read(uri);
    assert.deepEqual([shown.first_name, shown.fields], ['Ann', { shirt: ['L', 'M'] }]);
    assert.equal((await api.call('POST', '/rest/v1/tag/', '{"name": "untyped"}', FORM)).statusCode, 201);
    assert.equal((await api.call('POST', `${uri}logintoken/`, '{"ttl": 2592001}', FORM)).statusCode, 400);
    const acted = await api.call('POST', '/rest/v1/action/', '{"page": "join", "email": "untyped@example.org"}', FORM);
    assert.equal(acted.statusCode, 201, acted.body);
    const broken = await api.call('PATCH', uri, '{"first_name": "Bo}', FORM);
    assert.deepEqual([broken.statusCode, Object.keys(broken.json().errors)], [400, ['body']]);
    const forged = await api.call('PATCH', uri, '{"first_name": "Bo"}', { ...FORM, origin: SITE });
    assert.equal(forged.statusCode, 415);
    assert.equal((await api.read(uri)).first_name, 'Ann');
    // A name that begins with a brace is encoded, as forms are.
    assert.equal((await api.call('PATCH', uri, '%7B=1&first_name=Bo', FORM)).statusCode, 202);
    assert.equal((await api.read(uri)).first_name, 'Bo');
  });

  it('takes no form and no untyped body that a page of another site had a browser send', async () => {
    for (const headers of [{ ...FORM, origin: SITE }, { origin: SITE }, { ...FORM, origin: 'null' }]) {
      const answer = await api.call('POST', '/rest/v1/tag/', 'name' in headers ? '' : '{"name": "forged"}', headers);
      assert.equal(answer.statusCode, 415, JSON.stringify(headers));
    }
    // A form of another page with nothing in it is enough to send a mailing, and one with a file to take people in.
    const mailing = await makeReady(api);
    for (const [url, headers] of [
      [`${mailing}queue/`, { ...FORM, origin: SITE }],
      [`${mailing}stop/`, { origin: SITE }],
      ['/rest/v1/upload/', { 'content-type': 'multipart/form-data; boundary=b', origin: SITE }],
      ['/rest/v1/mergefile/', { 'content-type': 'multipart/form-data; boundary=b', origin: SITE }],
    ] as const)
      assert.equal((await api.call('POST', url, undefined, headers)).statusCode, 415, url);
    assert.equal((await api.read(mailing)).status, 'draft');
    assert.equal((await api.call('POST', `${mailing}copy/`, {}, { origin: SITE })).statusCode, 201, 'for JSON a browser has asked');
    const own = await api.call('POST', '/rest/v1/tag/', 'name=own', { ...FORM, origin: 'http://platform.test', host: 'platform.test' });
    assert.equal(own.statusCode, 201, own.body);
  });

  it('takes JSON without a content type and as text/json', async () => {
    const bare = await api.app.inject({
      method: 'POST',
      url: '/rest/v1/tag/',
      headers: { authorization: basic() },
      payload: Buffer.from('{"name": "bare"}'),
    });
    assert.equal(bare.statusCode, 201, bare.body);
    assert.equal((await api.call('POST', '/rest/v1/tag/', '{"name": "text"}', { 'content-type': 'text/json' })).statusCode, 201);
    const wrong = await api.call('POST', '/rest/v1/tag/', '{', { 'content-type': 'text/json; charset=utf-8' });
    assert.deepEqual(wrong.json(), { errors: { body: ['This is not JSON.'] } });
  });

  it('unpacks gzip, within the body limit after unpacking', async () => {
    const send = (body: Buffer, encoding = 'gzip') =>
      api.call('POST', '/rest/v1/tag/', body, { ...JSON_TYPE, 'content-encoding': encoding });
    const made = await send(gzipSync(JSON.stringify({ name: 'packed' })));
    assert.equal(made.statusCode, 201, made.body);
    const bomb = gzipSync(Buffer.alloc(64_000_000, ' '));
    assert.ok(bomb.length > 8192);
    assert.equal((await send(gzipSync(Buffer.alloc(5_000_000, ' ')))).statusCode, 413);
    assert.equal((await send(bomb)).statusCode, 413);
    assert.deepEqual((await send(Buffer.from('{"name": "x"}'))).json(), { errors: { body: ['This is not gzip.'] } });
    assert.equal((await send(gzipSync('{"name": "cut"}').subarray(0, 20))).statusCode, 400);
    assert.equal((await send(Buffer.from('x'), 'br')).statusCode, 415);
  });

  it('takes multipart without files on /action/, and no files', async () => {
    const sendAs = (type: string, ...parts: string[]) => {
      const body = `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--b--\r\n`;
      return api.call('POST', '/rest/v1/action/', body, { 'content-type': `${type}; boundary=b` });
    };
    const send = (...parts: string[]) => sendAs('multipart/form-data', ...parts);
    const capitals = await sendAs('Multipart/Form-Data', 'name="page"\r\n\r\njoin', 'name="email"\r\n\r\nmulti@example.org');
    assert.equal(capitals.statusCode, 201, capitals.body);
    const done = await send('name="page"\r\n\r\njoin', 'name="email"\r\n\r\nmulti@example.org', 'name="action_why"\r\n\r\nbecause');
    assert.equal(done.statusCode, 201, done.body);
    assert.deepEqual(done.json().fields, { why: 'because' });
    const many = Array.from({ length: 2_000 }, (_, n) => `name="f${n}"\r\n\r\n${n}`);
    const last = await send('name="page"\r\n\r\njoin', 'name="email"\r\n\r\nmulti@example.org', ...many, 'name="action_why"\r\n\r\nlast');
    assert.deepEqual(last.json().fields, { why: 'last' }, 'fields behind many others are taken, too');
    const tooMany = await send(...Array.from({ length: 2_501 }, () => 'name="f"\r\n\r\n'));
    assert.deepEqual([tooMany.statusCode, tooMany.json()], [413, { errors: { body: ['A form has at most 2500 fields.'] } }]);
    const file = await send('name="page"\r\n\r\njoin', 'name="photo"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello');
    assert.deepEqual(file.json(), { errors: { photo: ['photo is a file; none are taken here.'] } });
    const broken = await api.call('POST', '/rest/v1/action/', 'nonsense', { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(broken.statusCode, 400);
    assert.equal((await api.call('POST', '/rest/v1/tag/', 'x', { 'content-type': 'multipart/form-data; boundary=b' })).statusCode, 415);
  });

  it('ignores _, takes _format and format=json, and says that JSONP is not offered', async () => {
    const { meta } = await api.read('/rest/v1/tag/?_=1700000000000&_format=json&format=json&_limit=1');
    assert.doesNotMatch(meta.next, /_=17/);
    assert.equal((await api.call('GET', '/rest/v1/tag/1/?_=5&format=json')).statusCode, 200);
    assert.equal((await api.call('GET', '/rest/v1/sentmail/?_=5&_format=json')).statusCode, 200);
    for (const url of ['/rest/v1/tag/', '/rest/v1/tag/1/', '/rest/v1/sentmail/', '/rest/v1/']) {
      const answer = await api.call('GET', `${url}?callback=jQuery17&_=1`);
      assert.equal(answer.statusCode, 400, url);
      assert.match(answer.json().errors.callback[0], /JSONP is not offered/);
    }
  });

  it('does what X-HTTP-Method-Override says, with the grants of that method', async () => {
    const tag = await api.create('tag', { name: 'overridden' });
    const by = (method: string, body?: object, more = {}) => api.call('POST', tag, body, { 'x-http-method-override': method, ...more });
    await api.create('authgroup', { name: 'writers', grants: ['tag:read', 'tag:write'] });
    await api.create('authuser', { username: 'writer', password: 'a-password', groups: ['/rest/v1/authgroup/1/'] });
    const writer = { authorization: basic({ username: 'writer', password: 'a-password' }) };
    assert.equal((await by('PATCH', { name: 'patched' }, writer)).statusCode, 202);
    assert.equal((await api.read(tag)).name, 'patched');
    assert.equal((await by('DELETE', undefined, writer)).statusCode, 403);
    assert.equal((await by('GET')).statusCode, 405);
    const asks = await api.call('POST', '/rest/v1/tag/', { name: 'not made' }, { 'x-http-method-override': 'GET' });
    assert.deepEqual(Object.keys(asks.json().errors), ['x-http-method-override']);
    assert.equal((await by('delete')).statusCode, 204);
    assert.equal((await api.call('GET', tag)).statusCode, 404);
    const read = await api.call('GET', '/rest/v1/tag/1/', undefined, { 'x-http-method-override': 'DELETE' });
    assert.equal(read.statusCode, 200);
  });

  it('answers OPTIONS and pages of CORS_ORIGINS on the routes without credentials, and nowhere else', async () => {
    const options = (url: string, origin: string) =>
      api.call('OPTIONS', url, undefined, { authorization: '', origin, 'access-control-request-method': 'POST' });
    for (const url of ['/rest/v1/action/', '/rest/v1/userpublic/.1.abc/', '/o/x']) {
      const asked = await options(url, SITE);
      assert.equal(asked.statusCode, url === '/o/x' ? asked.statusCode : 204, url);
      if (asked.statusCode === 204) assert.equal(asked.headers['access-control-allow-origin'], SITE, url);
    }
    const asked = await options('/rest/v1/action/', SITE);
    assert.deepEqual(
      [asked.body, asked.headers.allow, asked.headers['access-control-allow-methods'], asked.headers['access-control-allow-headers']],
      ['', 'POST, OPTIONS', 'POST, OPTIONS', 'Content-Type, Idempotency-Key'],
    );
    assert.equal(asked.headers['access-control-allow-credentials'], undefined);
    // However the setting writes it.
    const other = await options('/rest/v1/action/', 'https://other.example.org');
    assert.equal(other.headers['access-control-allow-origin'], 'https://other.example.org');
    const stranger = await options('/rest/v1/action/', 'https://evil.example.com');
    assert.deepEqual([stranger.statusCode, stranger.headers['access-control-allow-origin']], [204, undefined]);
    assert.equal((await options('/rest/v1/tag/', SITE)).statusCode, 405);

    const unoffered = async (path: string) => {
      const { statusCode, headers } = await api.call('POST', path, undefined, { authorization: '', origin: SITE });
      return [statusCode, headers['access-control-allow-origin']];
    };
    assert.deepEqual(await unoffered('/rest/v1/userpublic/.1.abc/'), [405, SITE]);
    assert.deepEqual(await unoffered('/rest/v1/tag/1/'), [405, undefined]);

    const action = (origin: string) => api.call('POST', '/rest/v1/action/', { page: 'join' }, { ...JSON_TYPE, authorization: '', origin });
    const refused = await action(SITE);
    assert.deepEqual([refused.statusCode, refused.headers['access-control-allow-origin'], refused.headers.vary], [400, SITE, 'Origin']);
    assert.equal((await action('https://evil.example.com')).headers['access-control-allow-origin'], undefined);
    assert.equal((await api.call('GET', '/rest/v1/tag/', undefined, { origin: SITE })).headers['access-control-allow-origin'], undefined);
    const closed = await startApi();
    try {
      const answer = await closed.call('OPTIONS', '/rest/v1/action/', undefined, { authorization: '', origin: SITE });
      assert.deepEqual([answer.statusCode, answer.headers['access-control-allow-origin']], [204, undefined]);
    } finally {
      await closed.close();
    }
  });

  it('reads several objects at once, and names those there are none of', async () => {
    const ids = [];
    for (const name of ['set a', 'set b']) ids.push(Number(/(\d+)\/$/.exec(await api.create('tag', { name }))![1]));
    const { objects, not_found } = await api.read(`/rest/v1/tag/set/${ids[1]};999999;${ids[0]};x/`);
    assert.deepEqual(
      [objects.map(({ name }: { name: string }) => name), not_found],
      [
        ['set b', 'set a'],
        ['999999', 'x'],
      ],
    );
    const twice = await api.read(`/rest/v1/tag/set/${ids[1]};${ids[1]};0${ids[1]}/`);
    assert.deepEqual([twice.objects.length, twice.not_found], [1, [`0${ids[1]}`]]);
    const all = await api.read(`/rest/v1/tag/set/${ids[1]};${ids[0]}/`);
    assert.deepEqual(Object.keys(all), ['objects'], 'clients ask whether there is a not_found');
    const many = await api.call('GET', `/rest/v1/tag/set/${Array.from({ length: 101 }, (_, n) => n + 1).join(';')}/`);
    assert.deepEqual(Object.keys(many.json().errors), ['ids']);
  });

  it('finds custom user fields by name, where Location leads, and by id as well', async () => {
    const made = await api.call('POST', '/rest/v1/alloweduserfield/', { name: 'hat size' });
    assert.equal(made.headers.location, 'http://platform.test/rest/v1/alloweduserfield/hat%20size/');
    const again = await api.call('POST', '/rest/v1/alloweduserfield/', { name: 'hat size' });
    assert.deepEqual([again.statusCode, again.headers.location], [409, made.headers.location]);
    assert.equal((await api.read('/rest/v1/user/?_limit=9999999999')).meta.limit, 100);
    const byName = await api.read('/rest/v1/alloweduserfield/hat%20size/');
    assert.equal(byName.name, 'hat size');
    assert.deepEqual(await api.read(byName.resource_uri), byName);
    assert.equal((await api.call('PATCH', '/rest/v1/alloweduserfield/hat%20size/', { hidden: true })).statusCode, 202);
    assert.equal((await api.read(byName.resource_uri)).hidden, true);
    for (const name of ['nobody', '%00', '0']) assert.equal((await api.call('GET', `/rest/v1/alloweduserfield/${name}/`)).statusCode, 404);
    assert.equal((await api.call('DELETE', '/rest/v1/alloweduserfield/hat%20size/')).statusCode, 204);
    for (const name of ['schema', 'set', '.', '..', '10', 'a/b']) {
      const location = new URL(await api.create('alloweduserfield', { name }), api.env.BASE_URL);
      assert.equal((await api.read(location.pathname)).name, name);
    }
  });

  it('filters people by plain columns and parts of the address, and orders them by it', async () => {
    for (const [email, first_name, city] of [
      ['zed@filters.test', 'Zed', 'Oslo'],
      ['amy@filters.test', 'Amy', 'Bergen'],
    ])
      await api.create('user', { email, first_name, city });
    const emails = async (query: string) =>
      (await api.read(`/rest/v1/user/?${query}`)).objects.map(({ email }: { email: string }) => email);
    assert.deepEqual(await emails('email__contains=filters.test&order_by=email'), ['amy@filters.test', 'zed@filters.test']);
    assert.deepEqual(await emails('first_name=Zed'), ['zed@filters.test']);
    assert.deepEqual(await emails('city__istartswith=ber'), ['amy@filters.test']);
  });

  it('shows unset translations as an empty object in text', async () => {
    assert.equal((await api.read(await api.create('language', { name: 'English' }))).translations, '{}');
  });

  it('takes unset translations back as they are shown for no change', async () => {
    const uri = await api.create('language', { name: 'Suomi' });
    await api.pool.query(`update core_language set updated_at = '2001-01-01' where name = 'Suomi'`);
    for (const method of ['PATCH', 'PUT']) assert.equal((await api.call(method, uri, await api.read(uri))).statusCode, 202);
    assert.equal((await api.read(uri)).updated_at, '2001-01-01T00:00:00');
  });

  it('takes translations that can be parsed again', async () => {
    const uri = await api.create('language', { name: 'Norsk', translations: '' });
    for (const translations of ['{"Sign": "Skriv under"}', ' ', '', null]) {
      assert.equal((await api.call('PATCH', uri, { translations })).statusCode, 202);
      assert.equal(typeof JSON.parse((await api.read(uri)).translations), 'object');
    }
    const wrong = await api.call('PATCH', uri, { translations: 'Sign: Skriv under' });
    assert.deepEqual([wrong.statusCode, wrong.json()], [400, { language: { translations: ['translations must be JSON as text.'] } }]);
  });

  it('says of a background task what clients poll for', async () => {
    const id = await api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, status) values ('all', '{}', 'tsv', 'completed') returning id`,
    );
    const task = await api.read(`/rest/v1/backgroundtask/${id.rows[0].id}/`);
    assert.deepEqual(
      [task.completed, task.status, task.details.status, task.details.download_uri],
      [true, 'completed', 'complete', task.download],
    );
  });

  it('makes a mailing by the low-level resource', async () => {
    const uri = await api.create('mailing', { subjects: ['Hello'], html: '<p>Hello</p>', notes: 'low', unheard_of: 1, lang: null });
    assert.match(uri, /^\/rest\/v1\/mailing\/\d+\/$/);
    const made = await api.read(uri);
    assert.deepEqual([made.notes, made.html, made.subjects[0].text, made.status], ['low', '<p>Hello</p>', 'Hello', 'draft']);
    await api.create('mailing', {});
    const refused = await api.call('POST', '/rest/v1/mailing/', { fromline: 'nonsense', subjects: ['x'] });
    assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing ?? {})], [400, ['fromline']]);
  });

  it('refuses a merge that does not say whose address and source stay, naming both', async () => {
    const answer = await api.call('POST', '/rest/v1/usermerge/', { primary_user: 1, users: [2] });
    assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, ['address_user', 'source_user']]);
  });

  it('takes a merge as a form, in which one user or list is a list of one', async () => {
    const make = (name: string) => api.create('user', { email: `${name}@merge.example.org` });
    const [a, b, c, list] = [await make('a'), await make('b'), await make('c'), await api.create('list', { name: 'Kept' })];
    const asked = async (body: Record<string, string | string[]>) => {
      const answer = await api.call('POST', '/rest/v1/usermerge/', stringify(body), FORM);
      assert.equal(answer.statusCode, 201, answer.body);
      const uri = String(answer.headers.location).slice(api.env.BASE_URL.length);
      const { primary_user, users, sms_user, lists } = await api.read(uri);
      await api.pool.query('delete from core_usermerge');
      return { primary_user, users, sms_user, lists };
    };
    const wish = { primary_user: a, users: b, address_user: a, source_user: b };
    assert.deepEqual(await asked(wish), { primary_user: a, users: [b], sms_user: null, lists: null });
    assert.equal(api.workflows.starts.at(-1)?.summary, `Merge 1 user into user ${a.split('/').at(-2)}`);
    assert.deepEqual(await asked({ ...wish, lists: '', sms_user: '' }), { primary_user: a, users: [b], sms_user: null, lists: [] });
    const two = await asked({ ...wish, users: [b, c], lists: list });
    assert.deepEqual(two, { primary_user: a, users: [b, c], sms_user: null, lists: [list] });
    const none = await api.call('POST', '/rest/v1/usermerge/', stringify({ ...wish, users: '', source_user: a }), FORM);
    assert.deepEqual([none.statusCode, Object.keys(none.json().errors)], [400, ['users']]);
    assert.equal((await api.call('POST', '/rest/v1/usermerge/', wish)).statusCode, 400);
  });

  it('takes back a whole mailing as it was read', async () => {
    const uri = await api.create('mailer', { subjects: ['Whole'], html: '<p>Hello</p>' });
    const back = await api.call('PATCH', uri, await api.read(uri));
    assert.equal(back.statusCode, 202, back.body);
  });

  it('takes the parameters of a rebuild and of a copy as a form', async () => {
    const uri = await api.create('mailer', { subjects: ['Form'], html: '<p>Hello</p>', limit: 5 });
    assert.equal((await api.call('POST', `${uri}rebuild/`, 'fast_rebuild=1', FORM)).statusCode, 201);
    assert.equal((await api.call('POST', `${uri}rebuild/`, 'fast_rebuild=maybe', FORM)).statusCode, 400);
    const copied = await api.call('POST', `${uri}copy/`, 'targeting=false', FORM);
    assert.equal(copied.statusCode, 201, copied.body);
    assert.equal((await api.read(String(copied.headers.location).slice(api.env.BASE_URL.length))).limit, null);
    // As curl sends one that has nothing to say.
    for (const action of ['queue', 'stop']) assert.equal((await api.call('POST', `${uri}${action}/`, '', FORM)).statusCode, 400);
  });

  it('reads dates of filters in every form', async () => {
    const { created_at: time } = await api.read('/rest/v1/signuppage/1/');
    const day = time.slice(0, 10);
    for (const from of [
      day,
      time,
      `${time}Z`,
      time.replace('T', ' '),
      `${time}.000000`,
      `${time}+00:00`,
      `${time}%2B00:00`,
      `${time}.5+0000`,
    ]) {
      const { meta } = await api.read(
        `/rest/v1/signuppage/?id=1&created_at__lt=2100-01-01&updated_at__gte=${encodeURI(from).replace('%252B', '%2B')}`,
      );
      assert.ok(meta.total_count <= 1, from);
    }
    const later = `${Number(day.slice(0, 4)) + 1}${day.slice(4).replace('02-29', '02-28')}T02:00:00+02:00`;
    assert.equal((await api.read(`/rest/v1/signuppage/?id=1&created_at__lt=${later}`)).meta.total_count, 1, 'a plus that was not encoded');
    for (const wrong of ['2026-01-01T00:00:00 banana', '2026-13-01', '10:00 00:00']) {
      const answer = await api.call('GET', `/rest/v1/signuppage/?created_at__lt=${encodeURIComponent(wrong)}`);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, ['created_at__lt']], wrong);
    }
  });
});
