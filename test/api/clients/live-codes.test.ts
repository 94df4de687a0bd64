import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

/** What clients make, and the key that is taken when they make it again. */
const MADE: [resource: string, body: (made: Record<string, string>) => object, key?: string][] = [
  ['language', () => ({ name: 'English', iso_code: 'en' })],
  ['tag', () => ({ name: 'water' }), 'name'],
  ['list', () => ({ name: 'News' }), 'name'],
  ['usergroup', () => ({ name: 'Hosts' }), 'name'],
  ['user', ({ usergroup }) => ({ email: 'ann@example.org', groups: [usergroup], fields: { shirt: 'L' } }), 'email'],
  ['userfield', ({ user }) => ({ parent: user, name: 'hat', value: 'M' })],
  ['usergeofield', ({ user }) => ({ parent: user, user, name: 'ward', value: 'North' })],
  ['multilingualcampaign', () => ({ name: 'rivers' }), 'name'],
  ...['petition', 'signup', 'donation', 'import', 'unsubscribe', 'whipcount'].map((type): (typeof MADE)[number] => [
    `${type}page`,
    ({ language, multilingualcampaign }) => ({ name: `a-${type}`, title: 'A', language, multilingual_campaign: multilingualcampaign }),
  ]),
  ['petitionform', ({ petitionpage }) => ({ page: petitionpage, client_hosted: '1', client_url: 'https://campaign.example/' }), 'page'],
  ['signupform', ({ signuppage }) => ({ page: signuppage, thank_you_text: 'Thanks' }), 'page'],
  ['donationform', ({ donationpage }) => ({ page: donationpage, ask_text: 'Give' }), 'page'],
  ['pagefollowup', ({ petitionpage }) => ({ page: petitionpage, url: 'https://campaign.example/next' }), 'page'],
  ['eventcampaign', () => ({ name: 'canvass', title: 'Canvass' }), 'name'],
  ['eventcreatepage', ({ eventcampaign }) => ({ name: 'host', campaign: eventcampaign })],
  ['eventsignuppage', ({ eventcampaign }) => ({ name: 'come', campaign: eventcampaign })],
  ['event', ({ eventcampaign, user }) => ({ campaign: eventcampaign, creator: user, title: 'Doors' })],
  ['eventsignup', ({ event, user, eventsignuppage }) => ({ event, user, page: eventsignuppage, role: 'attendee' })],
  ['fromline', () => ({ from_line: '"News" <news@example.org>' })],
  ['queryreport', () => ({ name: 'People', short_name: 'people', sql: 'select id from core_user' }), 'short_name'],
];

const CARD = { card_num: '4111111111111111', card_code: '007', exp_date_month: '12', exp_date_year: '2030' };

describe('status codes of live servers', () => {
  let api: TestApi;
  const made: Record<string, string> = {};
  before(async () => {
    api = await startApi({ API_STATUS_CODES: 'live' });
  });
  after(() => api.close());

  for (const [resource, body, key] of MADE) {
    it(`are answered by ${resource}, made, found, sent back whole, changed${key ? ' and made once' : ''}`, async () => {
      const given = body(made);
      const answer = await api.call('POST', `/rest/v1/${resource}/`, given);
      assert.deepEqual([answer.statusCode, answer.body], [201, ''], answer.body);
      const location = String(answer.headers.location);
      assert.match(location, /^http:\/\/platform\.test\/rest\/v1\//);
      const uri = location.slice(api.env.BASE_URL.length);
      made[resource] = uri;
      const whole = await api.read(uri);
      assert.equal(whole.resource_uri, uri);
      const { objects } = await api.read(`/rest/v1/${resource}/?id=${whole.id}`);
      assert.deepEqual(
        objects.map((each: { resource_uri: string }) => each.resource_uri),
        [uri],
      );
      for (const [method, code] of [
        ['PUT', 204],
        ['PATCH', 202],
      ] as const) {
        const back = await api.call(method, uri, whole);
        assert.deepEqual([back.statusCode, back.body], [code, ''], back.body);
      }
      const { updated_at: _, ...after } = await api.read(uri);
      const { updated_at: __, ...before } = whole;
      assert.deepEqual(after, before, 'nothing has changed');
      if (!key) return;
      const again = await api.call('POST', `/rest/v1/${resource}/`, given);
      assert.deepEqual([again.statusCode, again.headers.location], [409, location], again.body);
    });
  }

  it('come with the parts of an order as URIs where it is pushed, by which clients give its profile the number of the processor', async () => {
    const body = {
      donationpage: { name: 'give', payment_account: 'Default Import Stub' },
      order: { ...CARD, amount: '5.00', recurring_id: 'ours', orderdetails: [{ candidate: { name: 'Ida' }, amount: '1.00' }] },
      user: { email: 'giver@example.org', first_name: 'Ida', last_name: 'Vo', country: 'United States' },
    };
    const pushed = await api.call('POST', '/rest/v1/donationpush/', body);
    assert.equal(pushed.statusCode, 201, pushed.body);
    const { order } = pushed.json();
    const shown = await api.read(order.resource_uri);
    assert.deepEqual([order.orderdetails, order.orderrecurrings], [shown.orderdetails, shown.orderrecurrings]);
    const [profile] = order.orderrecurrings;
    assert.equal((await api.call('PATCH', profile, { recurring_id: 'theirs' })).statusCode, 202);
    assert.equal((await api.read(profile)).recurring_id, 'theirs');
  });
});
