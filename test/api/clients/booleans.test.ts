import assert from 'node:assert/strict';
import { readBoolean } from '../../../domain/values.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const YES = [true, 1, '1', 'true', 'on', 'True'];
const NO = [false, 0, '0', 'false', 'off', 'False'];

describe('booleans as clients send them', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are read the same everywhere', () => {
    for (const yes of YES) assert.equal(readBoolean(yes), true, String(yes));
    for (const no of NO) assert.equal(readBoolean(no), false, String(no));
    for (const neither of ['', 'maybe', 2, -1, null, undefined, {}, [], [true], Number.NaN]) assert.throws(() => readBoolean(neither));
  });

  it('are taken by plain resources', async () => {
    const uri = await api.create('signuppage', { name: 'flags' });
    for (const [said, is] of [...YES.map((word) => [word, true]), ...NO.map((word) => [word, false])]) {
      assert.equal((await api.call('PUT', uri, { hidden: said })).statusCode, 202, String(said));
      assert.equal((await api.read(uri)).hidden, is, String(said));
    }
    assert.equal((await api.call('PATCH', uri, { hidden: 'maybe' })).statusCode, 400);
    assert.equal((await api.call('PATCH', uri, { hidden: 2 })).statusCode, 400);
  });

  it('are taken by the mailer, in pushes and by forms', async () => {
    const fromline = '"News" <news@example.org>';
    const mailer = await api.create('mailer', {
      subjects: ['Hi'],
      html: '<p>Hi</p>',
      fromline,
      track_opens: 0,
      includes: { has_donated: '1' },
    });
    const { track_opens: tracks, includes } = await api.read(mailer);
    assert.deepEqual([tracks, includes.has_donated], [false, true]);
    const push = await api.call('POST', '/rest/v1/recurringpaymentpush/', { recurring_id: 'none', success: '1' });
    assert.equal(push.json().success, undefined, push.body);
    const form = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    await api.create('signuppage', { name: 'join' });
    assert.equal((await api.call('POST', '/rest/v1/action/', 'page=join&email=a%40example.org&opt_in=on', form)).statusCode, 201);
  });

  it('are said so in the API document', async () => {
    const { components } = (await api.call('GET', '/rest/v1/openapi.json')).json();
    assert.deepEqual(components.schemas.SignuppageInput.properties.hidden.anyOf, [
      { type: 'boolean' },
      { enum: [1, 0] },
      { type: 'string', enum: ['1', '0', 'true', 'false', 'on', 'off'] },
    ]);
  });
});
