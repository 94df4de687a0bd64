import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

// Ids of other services are numbers of 64 bits, and clients in Python, Ruby, PHP and Go send them as the numbers they are.

const JSON_TYPE = { 'content-type': 'application/json' };
const LONG = '9007199254740993';
const LONGER = '10158765432109876543';

describe('whole numbers beyond what JavaScript holds', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
  });
  after(() => api.close());

  const send = async (method: 'POST' | 'PATCH', path: string, body: string, status: number) => {
    const answer = await api.call(method, `/rest/v1/${path}`, body, JSON_TYPE);
    assert.equal(answer.statusCode, status, answer.body);
    return answer;
  };

  it('are stored as they were sent where text is meant', async () => {
    const made = await send(
      'POST',
      'action/',
      `{"page":"join","email":"long@example.org","action_post":${LONGER},"action_pair":[${LONG},-${LONG}]}`,
      201,
    );
    const { fields, user } = made.json();
    assert.deepEqual(fields, { post: LONGER, pair: [LONG, `-${LONG}`] });
    const told = String.raw`"it is \"${LONG}, [${LONGER}]\""`;
    await send(
      'PATCH',
      user.slice('/rest/v1/'.length),
      `{"city":${told},"fields":{"id": ${LONG} ,"rate":0.1234567890123456789,"large":1e21}}`,
      202,
    );
    const shown = await api.read(user);
    assert.equal(shown.city, JSON.parse(told));
    assert.deepEqual(shown.fields, { id: LONG, rate: '0.12345678901234568', large: '1e+21' });
    const form = new URLSearchParams({ fields: `{"id":${LONG},"ids":[1,${LONGER}]}` });
    await api.call('PATCH', user, String(form), { 'content-type': 'application/x-www-form-urlencoded' });
    const { id, ids } = (await api.read(user)).fields;
    assert.deepEqual([id, ids], [LONG, ['1', LONGER]]);
    await send('PATCH', 'page/1/', `{"fields":{"long":${LONG},"short":[16,0.5]}}`, 202);
    assert.deepEqual((await api.read('/rest/v1/page/1/')).fields, { long: LONG, short: [16, 0.5] });
  });

  it('are refused as out of range where a smaller one is meant, and as no JSON where none may stand', async () => {
    const ranged = await send('PATCH', 'page/1/', `{"goal":${LONGER}}`, 400);
    assert.deepEqual(ranged.json(), { page: { goal: ['goal is out of range.'] } });
    for (const wrong of [`{${LONG}:1}`, `{"a":0${LONG}}`, `{"a":${LONG}x}`, `{"a":${LONG} ${LONG}}`]) {
      assert.deepEqual(Object.keys((await send('POST', 'action/', wrong, 400)).json().errors), ['body'], wrong);
    }
  });

  it('are two donations where they name two', async () => {
    const push = (id: string) => {
      const order = `{"amount":"5.00","card_num":"4111111111111111","card_code":"007","exp_date_month":"12","exp_date_year":"2099","donation_import_id":${id}}`;
      const user = '{"email":"ann@example.org","first_name":"Ann","last_name":"Li"}';
      return api.call('POST', '/rest/v1/donationpush/', `{"donationpage":{"name":"give"},"order":${order},"user":${user}}`, JSON_TYPE);
    };
    const answers = [await push(LONG), await push('9007199254740992'), await push(LONG)];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200, 409],
    );
    assert.equal(answers[0]!.json().order.import_id, LONG);
  });
});
