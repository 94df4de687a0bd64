import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { simpleParser } from 'mailparser';
import { sendConfirmation } from '../../core/people/confirm.ts';
import { akid } from '../../domain/akid.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { everyTurnMs } from '../support/processor-time.ts';
import { ScriptedRelay } from '../support/sending.ts';

// What somebody without credentials, or with few grants, could have others made to see or get.

describe('what strangers send', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ OPEN_CONFIRMATIONS_PER_HOUR: '2' });
    await api.create('list', { name: 'News' });
    const followup = { send_email: true, email_subject: 'Thanks', email_body: '<p>Dear {{ user.first_name }}, thank you.</p>' };
    await api.create('signuppage', { name: 'join', list: 1, followup });
  });
  after(() => api.close());

  const act = (more: object, authorization = '') =>
    api.call('POST', '/rest/v1/action/', { page: 'join', email: 'victim@example.org', ...more }, { authorization });
  const confirmations = async () =>
    (await api.pool.query(`select count(*)::int as n from core_transactionalmailing where kind = 'confirmation'`)).rows[0].n;

  it('has nobody mailed more than so many confirmations in an hour; the actions are taken', async () => {
    for (let n = 0; n < 5; n++) assert.equal((await act({})).statusCode, 201);
    assert.equal(await confirmations(), 2);
    assert.equal((await api.read('/rest/v1/action/?page__name=join')).meta.total_count, 5);
    assert.equal((await act({}, basic())).statusCode, 201);
    assert.equal(await confirmations(), 3, 'who has credentials says themselves whom they mail');
    assert.equal((await act({ email: 'other@example.org' })).statusCode, 201);
    assert.equal(await confirmations(), 4);
  });

  it('is theirs where their page has a browser send it that has credentials in it, typed in once at a page of the API', async () => {
    const hidden = await api.create('list', { name: 'Staff', hidden: true });
    const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic() };
    const send = (more: object, email = 'forged@example.org') =>
      api.call('POST', '/rest/v1/action/', `page=join&email=${email}&lists=${idIn(hidden)}`, { ...form, ...more });
    const navigated = { origin: 'http://platform.test', host: 'platform.test', 'sec-fetch-mode': 'navigate' };
    for (const how of [{ origin: 'https://elsewhere.example' }, { origin: 'null' }, navigated]) {
      const answer = await send(how);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.match(answer.body, /There is no list/, 'as to a stranger');
      const wrong = await api.call('POST', '/rest/v1/action/', 'page=join&email=forged@example.org', {
        ...form,
        ...how,
        authorization: basic({ username: 'nobody', password: 'wrong' }),
      });
      assert.equal(wrong.statusCode, 201, 'and credentials are not looked at');
      assert.deepEqual(Object.keys(wrong.json()).sort(), ['action_id', 'akid', 'redirect_url']);
    }
    // A program says itself what it sends, and in whose name; so does a page that has asked, as for JSON.
    assert.equal((await send({}, 'own@example.org')).statusCode, 201);
    const json = { page: 'join', email: 'own@example.org', lists: [idIn(hidden)] };
    const asked = await api.call('POST', '/rest/v1/action/', json, { authorization: basic(), origin: 'https://elsewhere.example' });
    assert.equal(asked.statusCode, 201, asked.body);
  });

  it('has confirmations mailed where those before are of a time that is still to come: the clock of the database was set back', async () => {
    await api.pool.query(`update core_transactionalmailing set created_at = created_at + interval '2 days'`);
    const before = await confirmations();
    for (let n = 0; n < 3; n++) assert.equal((await act({})).statusCode, 201);
    assert.equal((await confirmations()) - before, 2);
  });

  it('takes an address for the same however its domain is written, also where nobody may mail it', async () => {
    const people = async () => (await api.read('/rest/v1/user/?email__contains=one@')).meta.total_count;
    const before = await confirmations();
    const ways = ['example.org', 'example。org', 'ｅｘａｍｐｌｅ．ｏｒｇ', 'exa\u{fe0f}mple.org', '𝐞xample.org'];
    for (const way of ways) assert.equal((await act({ email: `one@${way}` })).statusCode, 201, way);
    assert.deepEqual([await people(), (await confirmations()) - before], [1, 2]);
    assert.equal((await api.call('POST', '/rest/v1/user/', { email: `one@${ways[1]}` })).statusCode, 409);
    assert.equal((await api.read(`/rest/v1/user/?email=${encodeURIComponent(`one@${ways[2]}`)}`)).meta.total_count, 1);
    const named = { users: [`one@${ways[1]}`, `ONE@${ways[3]}`] };
    const mailing = await api.create('mailer', { subjects: ['Hello'], includes: named });
    assert.equal((await api.read(mailing)).includes.users.length, 1, 'found by whatever way it is written');
    const uri = await api.create('user', { email: 'one@müller.example' });
    assert.equal((await api.read(uri)).email, 'one@müller.example', 'a domain beyond ASCII stays');
    assert.equal((await act({ email: 'one@mu\u{308}ller.example' })).statusCode, 201);
    // Browsers send what was typed so.
    const [read, sent] = ['müller.example', 'xn--mller-kva.example'];
    for (const domain of [sent, sent.toUpperCase()]) assert.equal((await act({ email: `one@${domain}` }, basic())).json().user, uri);
    for (const filter of ['email', 'email__iexact', 'email__in']) {
      assert.equal((await api.read(`/rest/v1/user/?${filter}=one@${sent}`)).meta.total_count, 1, filter);
    }
    assert.equal(await people(), 2);
    assert.equal((await api.read(await api.create('user', { email: `two@${sent}` }))).email, `two@${read}`);
    await api.create('blackholedemail', { email: 'never@example。org' });
    await api.create('blackholedemail', { email: `never@${read}` });
    const mailed = await confirmations();
    for (const way of [...ways, sent]) assert.equal((await act({ email: `never@${way}` })).statusCode, 201, way);
    assert.equal(await confirmations(), mailed);
  });

  it('gives nobody a field for which whoever sends them back as they were read is refused', async () => {
    const type = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    for (const field of ['user___proto__', 'action___proto__']) {
      const answer = await api.call('POST', '/rest/v1/action/', `page=join&email=whole@example.org&${field}=x`, type);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [field]], answer.body);
    }
    assert.equal((await act({ email: 'whole@example.org', user_hat: 'M' })).statusCode, 201);
    const [user] = (await api.read('/rest/v1/user/?email=whole@example.org')).objects;
    assert.equal((await api.call('PUT', user.resource_uri, user)).statusCode, 202);
  });

  it('takes no names of fields with half a character in them, of which several would be one', async () => {
    for (const name of ['user_hat\ud800', 'action_hat\udc00']) {
      const answer = await act({ email: 'half@example.org', [name]: 'x' });
      assert.equal(answer.statusCode, 400, name);
    }
    assert.equal((await act({ email: 'half@example.org', 'user_hat\u{1f452}': 'x', action_hat: 'a\ud800' })).statusCode, 201);
  });

  it('puts no address of a web page into a name, by which confirmations greet people', async () => {
    for (const name of ['You have won: https://evil.example/', 'see www.evil.example', 'HTTP://evil.example']) {
      for (const field of ['first_name', 'last_name', 'prefix']) {
        const answer = await act({ [field]: name });
        assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, [field]]);
      }
    }
    assert.deepEqual(Object.keys((await act({ name: 'Win https://evil.example/x' })).json().errors), ['last_name']);
    for (const name of ['J. R. R.', 'Anne-Marie O’Neil', 'Dr. Ann (PhD)', 'Awwwwe'])
      assert.equal((await act({ first_name: name })).statusCode, 201, name);
    assert.equal((await act({ first_name: 'https://example.org/' }, basic())).statusCode, 201);
  });

  it('leads nobody to a script: addresses of pages are of the web, or of the page’s own site', async () => {
    for (const url of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'https://a.example/\r\nX: y',
      'not a url',
    ]) {
      const page = await api.call('PATCH', '/rest/v1/signuppage/1/', { url });
      assert.deepEqual([page.statusCode, Object.keys(page.json().signuppage)], [400, ['url']], JSON.stringify(url));
      const followup = await api.call('PATCH', '/rest/v1/signuppage/1/', { followup: { url } });
      assert.deepEqual([followup.statusCode, Object.keys(followup.json().signuppage)], [400, ['followup']], JSON.stringify(url));
    }
    for (const url of ['https://example.org/grüße', '/thanks', 'thanks.html', 'localhost:3000/done', '', ' '])
      assert.equal((await api.call('PATCH', '/rest/v1/signuppage/1/', { url })).statusCode, 202, url);
  });

  it('names no mailing where a confirmation led there, which belongs to none', async () => {
    const person = (await act({ email: 'confirmed@example.org' }, basic())).json();
    const sent = akid(api.env.SECRET_KEY, 0, Number(person.user.split('/').at(-2)));
    const done = await act({ email: undefined, akid: sent }, basic());
    assert.deepEqual([done.statusCode, done.json().mailing, done.json().user, done.json().akid], [201, null, person.user, sent]);
    const brought = await act({ email: 'friend@example.org', referring_akid: sent }, basic());
    assert.deepEqual([brought.json().referring_mailing, brought.json().referring_user], [null, person.user]);
  });

  it('has nobody told of people by who may not read them', async () => {
    const group = await api.create('authgroup', { name: 'authors', grants: ['page:read', 'page:write'] });
    await api.create('authuser', { username: 'author', password: 'author-password', groups: [group] });
    const author = { authorization: basic({ username: 'author', password: 'author-password' }) };
    const patch = (followup: object, headers = author) => api.call('PATCH', '/rest/v1/signuppage/1/', { followup }, headers);
    const mine = { notifications: ['author@example.org'], send_notifications: true };
    assert.equal((await patch(mine)).statusCode, 403);
    const made = await api.call('POST', '/rest/v1/signuppage/', { name: 'mine', followup: mine }, author);
    assert.equal(made.statusCode, 403);
    assert.equal((await api.read('/rest/v1/signuppage/?name=mine')).meta.total_count, 0);
    const { id } = (await api.read('/rest/v1/signuppage/1/')).followup;
    assert.equal((await api.call('PATCH', `/rest/v1/pagefollowup/${id}/`, mine, author)).statusCode, 403);
    await api.create('signuppage', { name: 'bare' });
    const bare = (await api.read('/rest/v1/signuppage/?name=bare')).objects[0].resource_uri;
    assert.equal((await api.call('POST', '/rest/v1/pagefollowup/', { page: bare, ...mine }, author)).statusCode, 403);
    assert.equal((await patch({ notifications: ['staff@example.org'] }, { authorization: basic() })).statusCode, 202);
    assert.equal((await patch({ notifications: ['staff@example.org'], email_subject: 'Hello' })).statusCode, 202, 'who stands there stays');
    assert.equal((await patch({ notifications: [] })).statusCode, 202);
  });

  it('puts no line of its own into mails that tell of it, neither by what a field is called nor by what is in it', async () => {
    const followup = { send_notifications: true, notifications: ['staff@example.org'] };
    await api.create('signuppage', { name: 'told', followup });
    const FORGED = 'http://platform.test/rest/v1/action/666/';
    const ends = ['\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
    const fields = ends.flatMap((end, n) => [
      [`action_name${n}${end}${FORGED}`, 'x'],
      [`action_value${n}`, `x${end}${FORGED}`],
    ]);
    const done = await act({ page: 'told', ...Object.fromEntries(fields) });
    assert.equal(done.statusCode, 201, done.body);
    const { rows } = await api.pool.query(
      `select id from core_transactionalmailing where kind like 'notification%' order by id desc limit 1`,
    );
    const relay = new ScriptedRelay(1);
    const sent: string[] = [];
    relay.answer = ({ message }) => {
      sent.push(message);
      return { kind: 'accepted', reply: '250 ok' };
    };
    await sendConfirmation({ pool: api.pool, env: api.env, relay }, rows[0].id);
    const { text = '' } = await simpleParser(sent[0]!);
    assert.equal(text.split(FORGED).length - 1, fields.length, 'all of it is there');
    const addresses = text.split(/[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => line.startsWith('http'));
    assert.deepEqual(addresses, [`http://platform.test/rest/v1/action/${done.json().action_id}/`]);
  });

  it('holds nobody up on a donation page, whatever its fields are called', async () => {
    await api.create('donationpage', { name: 'give' });
    const give = (more: object) => act({ page: 'give', email: 'giver@example.org', ...more });
    for (const name of ['card_', 'recurring_', 'payment_', 'exp_date', 'order', 'candidate_1', 'amount']) {
      const field = `${name}${'['.repeat(20_000)}\n`;
      const longest = await everyTurnMs(200, async () => void (await give({ [field]: 'x' })));
      assert.ok(longest < 200, `${name}: ${longest} ms`);
    }
    for (const name of [
      'card_num',
      'exp_date',
      'exp_date_month',
      'recurring_id',
      'payment_account',
      'order[amount]',
      'candidate_7',
      'amount[]',
    ])
      assert.deepEqual(Object.keys((await give({ [name]: '1' })).json().errors), [name]);
    for (const name of ['card_', 'amounts', 'candidate_x', 'reorder', 'order_note', 'payment'])
      assert.equal((await give({ [name]: '1' })).statusCode, 201, name);
  });

  it('holds nobody up with thousands of members of a list, each in a field of its own', async () => {
    const fields = (list: string) => Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${list}[${n}]`, '1']));
    for (const [list, status] of [
      ['lists', 400],
      ['required', 201],
      ['user_hats', 400],
    ] as const) {
      const sent = { [list]: Array.from({ length: 20_000 }, () => 1), ...fields(list) };
      const longest = await everyTurnMs(200, async () => assert.equal((await act(sent)).statusCode, status, list));
      assert.ok(longest < 200, `${list}: ${longest} ms`);
    }
  });

  it('is held in memory only as far as a form of a page, a login or a click takes it, packed or not', async () => {
    await api.create('whipcountpage', { name: 'calls' });
    const kB = 1024;
    const whip = await api.pool.query(`select count(*)::int as n from core_action`);
    for (const [url, most] of [
      ['/whipcount/calls/', 256 * kB],
      ['/rest/v1/action/', 256 * kB],
      ['/console/login', 16 * kB],
      ['/console/logout', 16 * kB],
      ['/unsubscribe/', 16 * kB],
    ] as const) {
      const send = async (bytes: number, headers: Record<string, string> = {}) => {
        const plain = Buffer.from(`page=calls&x=${'x'.repeat(bytes - 13)}`);
        const body = headers['content-encoding'] ? gzipSync(plain) : plain;
        const type = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
        return (await api.call('POST', url, body, { ...type, ...headers })).statusCode;
      };
      assert.notEqual(await send(most), 413, url);
      assert.equal(await send(most + 1), 413, url);
      // A body that nobody looks at is not unpacked.
      if (url !== '/unsubscribe/') assert.equal(await send(most + 1, { 'content-encoding': 'gzip' }), 413, `${url}, packed`);
    }
    assert.deepEqual((await api.pool.query(`select count(*)::int as n from core_action`)).rows, whip.rows);
  });
});
