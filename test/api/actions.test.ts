import assert from 'node:assert/strict';
import { eraseUser } from '../../core/people/erase.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid, answerAkid, readAkid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { erase } from '../support/erasing.ts';
import { merge } from '../support/merging.ts';

describe('POST /rest/v1/action/', () => {
  let api: TestApi;
  let listUri: string;
  let otherList: string;
  const act = (body: unknown, headers: Record<string, string> = { authorization: '' }) =>
    api.call('POST', '/rest/v1/action/', body, headers);
  const userOf = async (email: string) => (await api.read(`/rest/v1/user/?email=${encodeURIComponent(email)}`)).objects[0];
  const idOf = (uri: string) => Number(uri.match(/(\d+)\/$/)![1]);
  const listsOf = async (user: { id: number }) =>
    (await api.read(`/rest/v1/subscription/?user=${user.id}`)).objects.map((each: { list: string }) => each.list).sort();

  before(async () => {
    api = await startApi();
    listUri = await api.create('list', { name: 'News' });
    otherList = await api.create('list', { name: 'Alerts' });
    await api.create('signuppage', { name: 'join', list: listUri, url: 'https://example.org/thanks' });
    await api.create('signuppage', { name: 'strict', list: listUri, required_fields: ['zip', 'action_why'] });
    await api.create('signuppage', { name: 'closed', status: 'inactive' });
    await api.create('unsubscribepage', { name: 'leave' });
  });
  after(() => api.close());

  it('takes nobody erased for who acts by a link of an old mail alone, nor for who donates', async () => {
    await act({ page: 'join', email: 'erased@example.org' });
    const { id } = await userOf('erased@example.org');
    const { rows } = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [id]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, api.env.SECRET_KEY));
    const link = akid(api.env.SECRET_KEY, null, id);
    const before = await api.read(`/rest/v1/user/${id}/`);
    const acted = await act({ page: 'join', akid: link, name: 'Ann Lee', zip: '10001' });
    assert.deepEqual([acted.statusCode, acted.json().errors.akid], [400, ['akid names nobody.']]);
    const donated = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email: undefined, akid: link } }));
    assert.deepEqual([donated.statusCode, donated.json().user.akid], [400, ['akid names nobody.']]);
    assert.deepEqual(await api.read(`/rest/v1/user/${id}/`), before);
    assert.equal((await act({ page: 'join', akid: link, email: 'anew@example.org' })).statusCode, 201);
  });

  it('reads a form that is not UTF-8 by the charset it names, and refuses it without one, naming the field', async () => {
    const form = 'application/x-www-form-urlencoded';
    const send = (body: string | Buffer, type: string) =>
      api.call('POST', '/rest/v1/action/', body, { 'content-type': type, authorization: '' });
    const named = (n: number, first: string) => `page=join&email=latin${n}%40example.org&first_name=${first}`;
    const nameOf = async (n: number) => (await userOf(`latin${n}@example.org`))?.first_name;
    for (const type of [form, `${form}; charset=utf-8`, 'application/json']) {
      for (const body of [named(1, 'Ren%E9e'), Buffer.from(named(1, 'Renée'), 'latin1')]) {
        if (type === 'application/json' && typeof body !== 'string') continue;
        const answer = await send(body, type);
        assert.equal(answer.statusCode, 400);
        assert.match(answer.json().errors.first_name[0], /^first_name is not UTF-8/);
      }
    }
    assert.match((await send(`${named(1, 'Ann')}&user_%E9=1`, form)).json().errors.body[0], /not UTF-8/);
    assert.equal(await nameOf(1), undefined);
    for (const [n, charset] of ['ISO-8859-1', '"iso-8859-1"', 'windows-1252'].entries()) {
      assert.equal((await send(named(n + 2, 'Ren%E9e+%C0'), `${form}; charset=${charset}`)).statusCode, 201);
      assert.equal(await nameOf(n + 2), 'Renée À');
    }
    // Sent as UTF-8 whatever the header says, as some libraries do; a percent sign that is none of an escape is one.
    assert.equal((await send(named(7, 'Ren%C3%A9e%20100%'), `${form}; charset=iso-8859-1`)).statusCode, 201);
    assert.equal(await nameOf(7), 'Renée 100%');
    const part = (value: Buffer) =>
      Buffer.concat([Buffer.from(`--b\r\nContent-Disposition: form-data; name="first_name"\r\n\r\n`), value, Buffer.from('\r\n--b--\r\n')]);
    const parts = await send(part(Buffer.from('Renée', 'latin1')), 'multipart/form-data; boundary=b');
    assert.deepEqual([parts.statusCode, parts.json()], [400, { errors: { body: ['This is not UTF-8.'] } }]);
  });

  it('makes the person, records the action and subscribes to the list of the page', async () => {
    const answer = await act({
      page: 'join',
      email: 'ann@example.org',
      name: 'Ann Lee Smith',
      zip: '20001',
      user_shirt: 'L',
      action_why: ['a', 'b'],
    });
    assert.equal(answer.statusCode, 201);
    const body = answer.json();
    assert.deepEqual(Object.keys(body).sort(), ['action_id', 'akid', 'redirect_url']);
    assert.equal(answer.headers.location, `http://platform.test/rest/v1/signupaction/${body.action_id}/`);
    assert.equal(body.redirect_url, `https://example.org/thanks?action_id=${body.action_id}&akid=${body.akid}&ar=1&rd=1`);

    const user = await userOf('ann@example.org');
    assert.match(body.akid, new RegExp(`^\\.${user.id}\\.[\\w-]{6}$`));
    assert.notEqual(body.akid, user.token, 'nobody has shown that the address is theirs');
    assert.deepEqual(
      [user.first_name, user.last_name, user.zip, user.source, user.subscription_status, user.fields],
      ['Ann Lee', 'Smith', '20001', 'restful_api', 'subscribed', { shirt: 'L' }],
    );
    assert.deepEqual(await listsOf(user), [listUri]);
    const action = await api.read(`/rest/v1/signupaction/${body.action_id}/`);
    assert.deepEqual(
      [action.type, action.created_user, action.subscribed_user, action.fields, action.user, action.status],
      ['Signup', true, true, { why: ['a', 'b'] }, `/rest/v1/user/${user.id}/`, 'complete'],
    );
    const { objects } = await api.read(`/rest/v1/subscriptionhistory/?user=${user.id}`);
    assert.deepEqual(
      objects.map((each: { change: string; action: string }) => [each.change, each.action]),
      [['subscribe', `/rest/v1/action/${body.action_id}/`]],
    );
  });

  it('gives its source to somebody who was there before their first action', async () => {
    const known = await api.create('user', { email: 'known@example.org' });
    for (const source of ['first', 'second']) {
      assert.equal((await act({ page: 'join', email: 'known@example.org', source }, {})).statusCode, 201);
      assert.equal((await api.read(known)).source, 'first', source);
    }
  });

  it('keeps the phones that were sent in, the last one of each type, beside those that came otherwise', async () => {
    const phonesOf = async (email: string) =>
      (await api.read(`/rest/v1/phone/?user__email=${email}&order_by=id`)).objects.map(
        (each: Record<string, string>) => `${each['type']} ${each['phone']} ${each['source']}`,
      );
    const email = 'dial@example.org';
    const form = 'page=join&email=dial%40example.org&phone=%28202%29+555-0101&mobile_phone=%2B1+202+555+0102&work_phone=';
    const formed = await act(form, { authorization: '', 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(formed.statusCode, 201, formed.body);
    assert.deepEqual(await phonesOf(email), ['home (202) 555-0101 user', 'mobile +1 202 555 0102 user']);
    const user = await userOf(email);
    assert.equal(user.phones.length, 2);

    assert.equal((await act({ page: 'join', email, phone: '2025550101' })).statusCode, 201);
    assert.equal((await userOf(email)).updated_at, user.updated_at, 'a number that is there is no change');
    await api.create('phone', { user: user.resource_uri, phone: '202 555 0103', type: 'home', source: 'van' });
    assert.equal((await act({ page: 'join', email, phone: 2025550104, phone_type: 'work' })).statusCode, 201);
    assert.equal((await act({ page: 'join', email, home_phone: '202 555 0105' })).statusCode, 201);
    assert.equal((await act({ page: 'join', email, phone: '202-555-0103' })).statusCode, 201);
    assert.deepEqual(await phonesOf(email), [
      'home 202 555 0105 user',
      'mobile +1 202 555 0102 user',
      'home 202 555 0103 van',
      'work 2025550104 user',
    ]);
    await api.pool.query(`update core_user set updated_at = '2020-01-01' where id = $1`, [user.id]);
    assert.equal((await act({ page: 'join', email, phone: '202 555 0106' })).statusCode, 201);
    assert.notEqual((await userOf(email)).updated_at, '2020-01-01T00:00:00', 'a phone is a part of a person');

    for (const [field, value] of [
      ['mobile_phone', '1'.repeat(51)],
      ['phone_type', 'pigeon'],
      ['work_phone', { number: '1' }],
    ] as const) {
      const refused = await act({ page: 'join', email: 'dial2@example.org', [field]: value });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().errors)], [400, [field]]);
    }
    assert.equal(await userOf('dial2@example.org'), undefined);
    assert.equal((await act({ page: 'join', email: 'dial2@example.org', phone: 'none', phone_type: '' })).statusCode, 201);
    assert.deepEqual((await userOf('dial2@example.org')).phones, []);
    const repeated = { phone: ['202 555 0107', '202 555 0108', ''], phone_type: ['', 'mobile'] };
    assert.equal((await act({ page: 'join', email: 'dial2@example.org', ...repeated })).statusCode, 201);
    assert.deepEqual(await phonesOf('dial2@example.org'), ['mobile 202 555 0108 user']);
  });

  it('finds the person again, whatever the case of the address, and keeps what a form left out', async () => {
    const answer = await act({ page: 'join', email: 'ANN@Example.org', first_name: 'Anna', last_name: '', zip: null });
    assert.equal(answer.statusCode, 201);
    const user = await userOf('ann@example.org');
    assert.deepEqual([user.first_name, user.last_name, user.zip, user.email], ['Anna', 'Smith', '20001', 'ann@example.org']);
    const action = await api.read(`/rest/v1/action/${answer.json().action_id}/`);
    assert.deepEqual([action.created_user, action.subscribed_user], [false, false]);
  });

  it('takes forms, where a repeated field is a list', async () => {
    const body = `page=join&email=form%40example.org&lists=${idOf(listUri)}&lists=${idOf(otherList)}&user_color=red&user_color=blue`;
    const answer = await act(body, { authorization: '', 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(answer.statusCode, 201);
    const user = await userOf('form@example.org');
    assert.deepEqual(user.fields, { color: ['red', 'blue'] });
    assert.deepEqual(await listsOf(user), [listUri, otherList].sort());
  });

  it('takes lists as forms of libraries write them, and leaves no other', async () => {
    const form = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const [news, alerts] = [idOf(listUri), idOf(otherList)];
    for (const [n, lists] of [`lists[]=${alerts}`, `lists%5B0%5D=${alerts}`, `lists%5B%5D=&lists%5B%5D=${alerts}`].entries()) {
      assert.equal((await act(`page=join&email=listed${n}%40example.org&${lists}`, form)).statusCode, 201);
      assert.deepEqual(await listsOf(await userOf(`listed${n}@example.org`)), [otherList], lists);
    }
    const both = `page=join&email=listed0%40example.org&lists[0]=${news}&lists[1]=${alerts}`;
    assert.equal((await act(both, form)).statusCode, 201);
    assert.deepEqual(await listsOf(await userOf('listed0@example.org')), [listUri, otherList]);
    assert.equal((await act(`page=leave&email=listed0%40example.org&lists[]=${alerts}`, form)).statusCode, 201);
    assert.deepEqual(await listsOf(await userOf('listed0@example.org')), [listUri]);
    assert.equal((await act('page=join&email=listed3%40example.org&lists[]=', form)).statusCode, 201);
    assert.deepEqual(await listsOf(await userOf('listed3@example.org')), [listUri]);
    assert.equal((await act('page=join&email=listed4%40example.org&lists[]=x', form)).json().errors.lists.length, 1);
  });

  it('takes lists of fields as forms of libraries write them', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await api.create('petitionpage', { name: 'asks', required_fields: ['action_topics'] });
    for (const [n, [one, other]] of [
      ['[]', '[]'],
      ['[0]', '[1]'],
      ['', '[]'],
    ].entries()) {
      const email = `member${n}@example.org`;
      const fields = new URLSearchParams([
        [`action_topics${one}`, 'air'],
        [`action_topics${other}`, 'sea'],
        [`user_pets${one}`, 'cat'],
        [`user_pets${other}`, 'dog'],
        ['user_none[]', ''],
        ['user_odd[x]', 'as it is'],
      ]);
      const answer = await act(`page=asks&email=${encodeURIComponent(email)}&${fields}`, form);
      assert.equal(answer.statusCode, 201, answer.body);
      assert.deepEqual(answer.json().fields, { topics: ['air', 'sea'] });
      assert.deepEqual((await userOf(email)).fields, { pets: ['cat', 'dog'], 'odd[x]': 'as it is' });
    }
    const empty = await act('page=asks&email=member%40example.org&action_topics[]=', form);
    assert.deepEqual([empty.statusCode, Object.keys(empty.json().errors)], [400, ['action_topics']]);
  });

  it('leaves the lists alone when told to', async () => {
    for (const [name, more] of Object.entries({ suppressed: { suppress_subscribe: true }, asked: { opt_in: '0' }, none: { lists: [] } })) {
      const email = `${name}@example.org`;
      assert.equal((await act({ page: 'join', email, ...more })).statusCode, 201);
      const user = await userOf(email);
      assert.equal(user.subscription_status, 'never');
      assert.deepEqual(await listsOf(user), []);
    }
  });

  it('answers the whole action to a caller who may read actions', async () => {
    const answer = await act({ page: 'join', email: 'whole@example.org', source: 'tour' }, {});
    const body = answer.json();
    assert.equal(body.resource_uri, `/rest/v1/signupaction/${body.action_id}/`);
    const { action_id, redirect_url, ...whole } = body;
    assert.deepEqual(await api.read(body.resource_uri), whole);
    assert.equal(body.source, 'tour');
    assert.ok(body.redirect_url.startsWith('https://example.org/thanks?'));
  });

  it('knows the person, the mailing and the referrer by akid', async () => {
    const { rows } = await api.pool.query('insert into core_mailing default values returning id');
    const mailingId: number = rows[0].id;
    const ann = await userOf('ann@example.org');
    const annsLink = akid(api.env.SECRET_KEY, mailingId, ann.id);

    const own = (await act({ page: 'join', akid: annsLink }, {})).json();
    assert.deepEqual([own.user, own.mailing, own.referring_user], [ann.resource_uri, `/rest/v1/mailing/${mailingId}/`, null]);
    assert.equal(own.akid, annsLink);

    const friend = (await act({ page: 'join', akid: annsLink, email: 'friend@example.org' }, {})).json();
    assert.deepEqual(
      [friend.referring_user, friend.referring_mailing, friend.mailing],
      [ann.resource_uri, `/rest/v1/mailing/${mailingId}/`, null],
    );

    const referred = (
      await act({ page: 'join', email: 'second@example.org', referring_akid: ann.token, mailing_id: String(mailingId) }, {})
    ).json();
    assert.deepEqual([referred.referring_user, referred.mailing], [ann.resource_uri, `/rest/v1/mailing/${mailingId}/`]);

    for (const resource of ['mailer', 'mailing']) {
      const named = await act({ page: 'join', email: 'second@example.org', mailing_id: `/rest/v1/${resource}/${mailingId}/` }, {});
      assert.equal(named.json().mailing, `/rest/v1/mailing/${mailingId}/`);
    }
  });

  it('takes so many fields, values and characters, and names the field that is too much', async () => {
    const fields = (prefix: string, many: number) => Object.fromEntries(Array.from({ length: many }, (_, n) => [`${prefix}${n}`, 'x']));
    const refused = async (body: object) => {
      const answer = await act({ page: 'join', email: 'many@example.org', ...body });
      assert.equal(answer.statusCode, 400, answer.body.slice(0, 300));
      return Object.keys(answer.json().errors);
    };
    assert.deepEqual(await refused(fields('user_', 201)), ['user_200']);
    assert.deepEqual(await refused(fields('action_', 201)), ['action_200']);
    assert.deepEqual(await refused(fields('x', 2_500)), ['body']);
    assert.deepEqual(await refused({ user_long: 'x'.repeat(65_536) }), ['user_long']);
    assert.deepEqual(await refused({ action_why: Array(1_001).fill('x') }), ['action_why']);
    assert.equal(await userOf('many@example.org'), undefined, 'nothing half-done');
    assert.equal(
      (await act({ page: 'join', email: 'many@example.org', ...fields('user_', 200), ...fields('action_', 200) })).statusCode,
      201,
    );
  });

  it('keeps so many values of custom fields of one person, and changes them for ever', async () => {
    const post = (more: object) => act({ page: 'join', email: 'full@example.org', ...more });
    assert.equal((await post({ user_a: Array(900).fill('x') })).statusCode, 201);
    const refused = await post({ user_b: Array(101).fill('x') });
    assert.deepEqual([refused.statusCode, Object.keys(refused.json().errors)], [400, ['user_b']]);
    assert.equal((await post({ user_b: Array(100).fill('x') })).statusCode, 201);
    assert.equal((await post({ user_c: 'x' })).statusCode, 400);
    assert.equal((await post({ user_a: 'y' })).statusCode, 201);
    assert.equal((await post({ user_c: 'x' })).statusCode, 201);
    const full = await userOf('full@example.org');
    const patched = await api.call('PATCH', full.resource_uri, { fields: { d: Array(900).fill('x') } });
    assert.equal(patched.statusCode, 400, 'for accounts, too');
    assert.match(patched.body, /at most 1000 values/);
  });

  it('declares no more custom user fields for callers without credentials than it may', async () => {
    const small = await startApi({ OPEN_USER_FIELDS: '3' });
    try {
      await small.create('signuppage', { name: 'join' });
      await small.create('alloweduserfield', { name: 'known' });
      const post = (n: number, more: object, headers: Record<string, string> = { authorization: '' }) =>
        small.call('POST', '/rest/v1/action/', { page: 'join', email: `p${n}@example.org`, ...more }, headers);
      assert.equal((await post(0, { user_one: 1, user_known: 1 })).statusCode, 201);
      const both = await post(0, { user_two: 1, user_three: 1, user_known: 1 });
      assert.deepEqual([both.statusCode, Object.keys(both.json().errors).sort()], [400, ['user_three', 'user_two']]);
      const codes = (await Promise.all([1, 2, 3, 4].map((n) => post(n, { [`user_new${n}`]: 1 })))).map(({ statusCode }) => statusCode);
      assert.deepEqual(codes.sort(), [201, 400, 400, 400], 'also all at once');
      assert.equal((await post(5, { user_one: 2, user_known: 2 })).statusCode, 201, 'what is declared goes on');
      assert.equal((await post(6, { user_two: 1 }, {})).statusCode, 201, 'an account may');
      assert.equal((await small.read('/rest/v1/alloweduserfield/')).meta.total_count, 4);
    } finally {
      await small.close();
    }
  });

  it('lets no stranger onto a hidden list but where the page leads to it, and everybody off it', async () => {
    const hidden = await api.create('list', { name: 'Staff', hidden: true });
    await api.create('signuppage', { name: 'staff', list: hidden });
    const lists = [idOf(hidden)];
    const refused = await act({ page: 'join', email: 'stranger@example.org', lists: [idOf(listUri), ...lists] });
    assert.deepEqual([refused.statusCode, refused.json().errors], [400, { lists: [`There is no list ${lists}.`] }]);
    assert.equal(await userOf('stranger@example.org'), undefined);
    for (const [email, page, headers] of [
      ['led@example.org', 'staff', undefined],
      ['made@example.org', 'join', {}],
    ] as const) {
      assert.equal((await act({ page, email, lists }, headers)).statusCode, 201);
      assert.deepEqual(await listsOf(await userOf(email)), [hidden]);
      assert.equal((await act({ page: 'leave', email, lists })).statusCode, 201);
      assert.deepEqual(await listsOf(await userOf(email)), []);
    }
  });

  it('unsubscribes on an unsubscribe page: from the lists named, or from all', async () => {
    await act({ page: 'join', email: 'both@example.org', lists: [idOf(listUri), idOf(otherList)] });
    const user = await userOf('both@example.org');
    await act({ page: 'leave', email: 'both@example.org', lists: [otherList] });
    assert.deepEqual(await listsOf(user), [listUri]);
    assert.equal((await userOf('both@example.org')).subscription_status, 'subscribed');
    const last = await act({ page: 'leave', email: 'both@example.org' });
    assert.match(String(last.headers.location), /unsubscribeaction/);
    assert.deepEqual(await listsOf(user), []);
    assert.equal((await userOf('both@example.org')).subscription_status, 'unsubscribed');
  });

  it('refuses what cannot be, by field, and keeps nothing of it', async () => {
    const before = (await api.read('/rest/v1/user/?_limit=1')).meta.total_count;
    const refused: [object | string, unknown][] = [
      [{ page: 'nowhere', email: 'x@example.org' }, 'page'],
      [{ page: 'join' }, 'errors.email'],
      [{ email: 'x@example.org' }, 'errors.page'],
      [{ page: 'closed', email: 'x@example.org' }, 'errors.page'],
      [{ page: 'join', email: 'not an address' }, 'errors.email'],
      [{ page: 'join', email: ['a@b.c', 'd@e.f'] }, 'errors.email'],
      [{ page: 'join', email: 'x@example.org\r\nBcc: y@example.org' }, 'errors.email'],
      [{ page: 'join', akid: '.1.wrong1' }, 'errors.akid'],
      [{ page: 'join', akid: akid(api.env.SECRET_KEY, null, 99_999) }, 'errors.akid'],
      [{ page: 'join', email: 'x@example.org', lists: [99_999] }, 'errors.lists'],
      [{ page: 'join', email: 'x@example.org', lists: 'News' }, 'errors.lists'],
      [{ page: 'join', email: 'x@example.org', mailing_id: 99_999 }, 'errors.mailing_id'],
      [{ page: 'join', email: 'x@example.org', mailing_id: 99_999_999_999 }, 'errors.mailing_id'],
      [{ page: 'join', email: 'x@example.org', mailing_id: '/rest/v1/page/1/' }, 'errors.mailing_id'],
      [{ page: 'join', email: 'x@example.org', opt_in: 'perhaps' }, 'errors.opt_in'],
      [{ page: 'join', email: 'x@example.org', first_name: 'a\0b' }, 'errors.first_name'],
      [{ page: 'join', email: 'x@example.org', first_name: 'a'.repeat(300) }, 'errors.first_name'],
      [{ page: 'join', email: 'x@example.org', user_a: { deep: 1 } }, 'errors.user_a'],
      [{ page: 'join', email: 'x@example.org', action_a: 'nul\0' }, 'errors.action_a'],
      [{ page: 'strict', email: 'x@example.org', zip: ' ' }, 'errors.zip'],
      [[1], 'errors.body'],
      ['"text"', 'errors.body'],
      ['{', 'errors.body'],
    ];
    for (const [body, where] of refused) {
      const answer = await act(body, { authorization: '', 'content-type': 'application/json' });
      assert.equal(answer.statusCode, 400, `${JSON.stringify(body)} → ${answer.statusCode} ${answer.body}`);
      const json = answer.json();
      const found = String(where).startsWith('errors.') ? json.errors?.[String(where).slice(7)] : json[String(where)];
      assert.ok(found, `${JSON.stringify(body)} → ${answer.body}`);
    }
    const nested = await act({ page: 'join', email: 'x@example.org', action_x: { a: 1 } });
    assert.deepEqual(nested.json().errors, { action_x: ['action_x must be text, a number, a boolean or a list of these.'] });
    assert.equal((await api.read('/rest/v1/user/?_limit=1')).meta.total_count, before);
    assert.equal((await act({ page: 'join', email: 'x@example.org' }, { authorization: 'Basic eDp5' })).statusCode, 401);
  });

  it('makes one person of many submissions of one new address at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        act({ page: 'join', email: index % 2 ? 'rush@example.org' : 'RUSH@example.org', user_n: index }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [201]);
    const { objects } = await api.read('/rest/v1/user/?email=rush@example.org');
    assert.equal(objects.length, 1);
    const { meta } = await api.read(`/rest/v1/subscriptionhistory/?user=${objects[0].id}`);
    assert.equal(meta.total_count, 1);
    const created = await api.pool.query('select count(*)::int as n from core_action where user_id = $1 and created_user', [objects[0].id]);
    assert.equal(created.rows[0].n, 1);
  });
});

describe('the unsubscribe link of a mail', () => {
  let api: TestApi;
  let link: string;
  let userId: number;
  const status = async () => (await api.read(`/rest/v1/user/${userId}/`)).subscription_status;
  const open = { authorization: '' };

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    userId = (await api.read('/rest/v1/user/')).objects[0].id;
    const { rows } = await api.pool.query('insert into core_mailing default values returning id');
    link = `/unsubscribe/?akid=${akid(api.env.SECRET_KEY, rows[0].id, userId)}`;
  });
  after(() => api.close());

  it('unsubscribes by an answered akid only with the button of the page', async () => {
    const answered = answerAkid(api.env.SECRET_KEY, null, userId);
    const oneClick = { ...open, 'content-type': 'application/x-www-form-urlencoded' };
    for (const text of [answered, answerAkid(api.env.SECRET_KEY, 1, userId)]) {
      for (const more of ['', '&click=', `&click=${'a'.repeat(43)}`]) {
        const refused = await api.call('POST', `/unsubscribe/?akid=${text}${more}`, 'List-Unsubscribe=One-Click', oneClick);
        assert.equal(refused.statusCode, 400);
      }
    }
    assert.equal(await status(), 'subscribed');
    const page = await api.call('GET', `/unsubscribe/?akid=${answered}`, undefined, open);
    const [, action] = /<form method="post" action="([^"]+)">/.exec(page.body)!;
    const pressed = await api.call('POST', `/unsubscribe/${action!.replaceAll('&amp;', '&')}`, '', oneClick);
    assert.equal(pressed.statusCode, 200);
    assert.equal(await status(), 'unsubscribed');
    const { objects } = await api.read(`/rest/v1/action/?user=${userId}&order_by=-id&_limit=1`);
    assert.equal(objects[0].mailing, null);
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
  });

  it('only asks on GET: scanners follow links', async () => {
    const page = await api.call('GET', link, undefined, open);
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers['content-type']), /text\/html/);
    assert.match(page.body, /<form method="post">/);
    assert.equal(await status(), 'subscribed');
  });

  it('changes nothing for an akid that is not ours', async () => {
    for (const method of ['GET', 'POST']) {
      for (const wrong of ['', '?akid=', `?akid=.${userId}.aaaaaa`, '?akid=a&akid=b', '?akid=%00']) {
        const page = await api.call(method, `/unsubscribe/${wrong}`, undefined, open);
        assert.equal(page.statusCode, 400);
        assert.match(page.body, /not valid/);
      }
    }
    assert.equal(await status(), 'subscribed');
  });

  it('unsubscribes by the one-click request of RFC 8058, in either form it may have', async () => {
    const oneClick = await api.call('POST', link, 'List-Unsubscribe=One-Click', {
      ...open,
      'content-type': 'application/x-www-form-urlencoded',
    });
    assert.equal(oneClick.statusCode, 200);
    assert.equal(await status(), 'unsubscribed');
    const { objects } = await api.read(`/rest/v1/subscriptionhistory/?user=${userId}&order_by=-id&_limit=1`);
    assert.equal(objects[0].change, 'unsubscribe_email');
    const action = await api.read(objects[0].action);
    assert.equal(action.type, 'Unsubscribe');
    assert.ok(action.mailing);

    const multipart = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
    const again = await api.call('POST', link, multipart, { ...open, 'content-type': 'multipart/form-data; boundary=x' });
    assert.equal(again.statusCode, 200);
    assert.equal((await api.read(`/rest/v1/action/?user=${userId}`)).meta.total_count, 4, 'the second one changed nothing');
  });
});

describe('GET /rest/v1/userpublic/{akid}/', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('shows five fields, without credentials', async () => {
    const lang = await api.create('language', { name: 'Français', iso_code: 'fr' });
    const uri = await api.create('user', { email: 'ann@example.org', first_name: 'Ann', last_name: 'Smith', lang });
    const user = await api.read(uri);
    const link = akid(api.env.SECRET_KEY, 7, user.id);
    const answer = await api.call('GET', `/rest/v1/userpublic/${link}/`, undefined, { authorization: '' });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(answer.json(), {
      akid: link,
      token: user.token,
      lang,
      language: { iso_code: 'fr', name: 'Français' },
      name: 'Ann Smith',
    });
  });

  it('shows who somebody has become by the link of an old mail, and nobody erased', async () => {
    const ids = [];
    for (const first_name of ['Old', 'Middle', 'Present'])
      ids.push((await api.read(await api.create('user', { email: `${first_name}@example.org`, first_name }))).id as number);
    const [old, middle, present] = ids as [number, number, number];
    await merge(api.pool, middle, [old]);
    await merge(api.pool, present, [middle]);
    for (const link of [akid(api.env.SECRET_KEY, 7, old), answerAkid(api.env.SECRET_KEY, null, old)]) {
      const { akid: same, name } = await api.read(`/rest/v1/userpublic/${link}/`);
      assert.deepEqual([same, name], [link, 'Present']);
    }
    const { token } = await api.read(`/rest/v1/userpublic/${akid(api.env.SECRET_KEY, 7, old)}/`);
    assert.equal(token, (await api.read(`/rest/v1/user/${present}/`)).token);
    await erase(api.pool, present);
    for (const id of [old, present])
      assert.equal((await api.call('GET', `/rest/v1/userpublic/${akid(api.env.SECRET_KEY, 7, id)}/`)).statusCode, 404);
  });

  it('shows no more by an answered akid, and gives no token that opens anything', async () => {
    const uri = await api.create('user', { email: 'bob@example.org', first_name: 'Bob' });
    const { id, token } = await api.read(uri);
    const given = answerAkid(api.env.SECRET_KEY, 7, id);
    const answer = await api.call('GET', `/rest/v1/userpublic/${given}/`, undefined, { authorization: '' });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(Object.keys(answer.json()).sort(), ['akid', 'lang', 'language', 'name', 'token']);
    assert.deepEqual([answer.json().akid, answer.json().name], [given, 'Bob']);
    assert.notEqual(answer.json().token, token);
    assert.equal(readAkid(api.env.SECRET_KEY, answer.json().token), null);
  });

  it('lets nobody guess akids at speed: thirty wrong ones a minute from one address', async () => {
    const user = await api.read(await api.create('user', { email: 'guessed@example.org' }));
    await api.create('signuppage', { name: 'guess' });
    const right = akid(api.env.SECRET_KEY, 7, user.id);
    const from = (remoteAddress: string, url: string, headers = {}) => api.app.inject({ url, remoteAddress, headers });
    const wrong = (n: number) => `7.${user.id}.${String(n).padStart(6, 'x')}`;
    for (let n = 0; n < 30; n++) {
      const url = [`/rest/v1/userpublic/${wrong(n)}/`, `/view/${wrong(n)}`, `/unsubscribe/?akid=${wrong(n)}`][n % 3]!;
      assert.ok([400, 404].includes((await from('203.0.113.9', url)).statusCode));
    }
    for (const url of [
      `/rest/v1/userpublic/${right}/`,
      `/view/${right}`,
      `/unsubscribe/?akid=${right}`,
      `/rest/v1/userpublic/${wrong(99)}/`,
    ]) {
      const refused = await from('203.0.113.9', url);
      assert.equal(refused.statusCode, 429, 'the right one too, or it could be told');
      assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    const acted = await api.app.inject({
      method: 'POST',
      url: '/rest/v1/action/',
      remoteAddress: '203.0.113.9',
      payload: { page: 'guess', akid: right },
    });
    assert.equal(acted.statusCode, 429);
    assert.equal((await from('203.0.113.10', `/rest/v1/userpublic/${right}/`)).statusCode, 200, 'others are not held up');
    assert.equal((await from('203.0.113.9', '/rest/v1/userpublic/mangled/')).statusCode, 404, 'what is no akid is no guess');
    assert.equal((await from('203.0.113.9', `/open/${right}.gif`)).statusCode, 200, 'the pixel tells nothing, and goes on');
    for (let n = 0; n < 31; n++) await from(`2001:db8:1:2::${n + 1}`, `/rest/v1/userpublic/${wrong(n)}/`);
    assert.equal((await from('2001:db8:1:2:ffff::1', `/rest/v1/userpublic/${right}/`)).statusCode, 429, 'an IPv6 network is one caller');
  });

  it('answers 404 to a wrong hash', async () => {
    for (const wrong of ['.1.aaaaaa', 'x', '7.1.', '%00']) {
      const answer = await api.call('GET', `/rest/v1/userpublic/${wrong}/`, undefined, { authorization: '' });
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.body, '');
    }
  });
});
