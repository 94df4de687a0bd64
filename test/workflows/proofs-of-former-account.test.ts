import assert from 'node:assert/strict';
import { sendProofs } from '../../core/mailings/send-proofs.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { buildSet, idIn, makeReady } from '../support/mailings.ts';
import { ScriptedRelay } from '../support/sending.ts';

describe('proofs whose account may not ask for them any more', () => {
  let api: TestApi;
  let uri: string;
  let senders: string;
  let readers: string;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Everybody' });
    for (const email of ['ann@example.org', 'bob@example.org']) {
      const user = await api.create('user', { email });
      await api.create('subscription', { user, list });
    }
    uri = await makeReady(api, { html: '<p>{{ user.email }}</p>', includes: { lists: ['Everybody'] } });
    await buildSet(api, uri);
    senders = await api.create('authgroup', { name: 'those who send', grants: ['mailer:send'] });
    readers = await api.create('authgroup', { name: 'those who read', grants: ['user:read'] });
  });
  after(() => api.close());

  /** Somebody new asks for two proofs, to an address elsewhere. */
  async function ask(username: string, groups = [senders, readers]) {
    const login = { username, password: `${username}-password` };
    const account = await api.create('authuser', { ...login, groups });
    const body = { proofs: 2, reviewers: [`${username}@elsewhere.example`] };
    const answer = await api.call('POST', `${uri}proofs/`, body, { authorization: basic(login) });
    assert.equal(answer.statusCode, 201, answer.body);
    const watched = String(answer.headers.location).replace(api.env.BASE_URL, '');
    return { account, watched, id: idIn(watched) };
  }

  /** Sends them; after the first, `meanwhile` comes to pass. @returns to whom */
  async function send(id: number, meanwhile: () => Promise<unknown>): Promise<string[]> {
    const relay = new ScriptedRelay(1);
    relay.answer = async (_, nth) => {
      if (nth === 1) await meanwhile();
      return { kind: 'accepted', reply: '250 ok' };
    };
    const deps = { pool: api.pool, env: api.env, relay, log: console };
    await sendProofs(deps as never, idIn(uri), id, async () => {}).catch((error) => assert.match(error.message, /another attempt/));
    return relay.written;
  }

  const errors = async (watched: string) => {
    const { finished, success, errors } = await api.read(watched);
    return { finished, success, errors };
  };
  const OVER = { finished: true, success: false, errors: ['the account that asked for them may not any more'] };

  for (const [how, take] of [
    ['switched off', (account: string) => api.call('PATCH', account, { is_active: false })],
    ['without the grant to send', (account: string) => api.call('PATCH', account, { groups: [readers] })],
    ['without the grant to read those they show', (account: string) => api.call('PATCH', account, { groups: [senders] })],
    ['deleted', (account: string) => api.call('DELETE', account)],
  ] as const) {
    it(`are not sent: ${how}`, async () => {
      const { account, watched, id } = await ask(how.replaceAll(' ', '-'));
      assert.ok((await take(account)).statusCode < 300);
      assert.deepEqual(await send(id, async () => {}), []);
      assert.deepEqual(await errors(watched), OVER);
    });

    it(`go no further: ${how} meanwhile`, async () => {
      const { account, watched, id } = await ask(`meanwhile-${how.replaceAll(' ', '-')}`);
      assert.equal((await send(id, () => take(account))).length, 1);
      assert.deepEqual(await errors(watched), OVER);
    });
  }

  it('are sent of made-up people to who may still send, and never might read', async () => {
    const { watched, id } = await ask('sender', [senders]);
    assert.equal((await send(id, async () => {})).length, 2);
    assert.deepEqual(await errors(watched), { finished: true, success: true, errors: [] });
  });
});
