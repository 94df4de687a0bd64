import { doesNotMatch, equal, match } from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { enterAs, text } from '../support/console-visitor.ts';
import { push } from '../support/donations.ts';
import { buildSet, idIn, makeReady } from '../support/mailings.ts';

describe('a mailing in the console, to an account that may not read mailings', () => {
  let api: TestApi;
  let uri: string;
  const SECRET = /Hush|hushed@|Whisperers/;

  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'Whisperers' });
    const hushed = { subjects: ['Hush'], custom_fromline: 'hushed@example.org', html: '<p>Hush</p>', includes: { lists: ['Whisperers'] } };
    uri = await makeReady(api, hushed);
    await buildSet(api, uri);
  });
  after(() => api.close());

  it('is shown nowhere: not to be confirmed, not to be scheduled, and not in what its forms answer', async () => {
    const at = `/console/mailings/${idIn(uri)}/`;
    for (const [grant, pages, forms] of [
      ['mailer:send', ['confirm/queue', 'confirm/uncertain-accept', 'confirm/failed-resend'], ['confirm/queue']],
      ['mailer:write', ['schedule/'], ['schedule/', 'edit/', 'choose/', 'choose/counts', 'check-links', 'recurring']],
    ] as const) {
      const visitor = await enterAs(api, grant.replace(':', '-'), [grant, 'user:read']);
      const _csrf = visitor.token(await visitor.get('/console/'));
      const answers = [
        ...(await Promise.all(pages.map((page) => visitor.get(at + page)))),
        ...(await Promise.all(forms.map((form) => visitor.post(at + form, { _csrf, subject: '', at: 'x', version: 'x' })))),
      ];
      for (const { statusCode, body } of answers) {
        doesNotMatch(body, SECRET);
        equal(statusCode, 403);
        match(body, /needs the grant mailer:read/);
      }
    }
    equal((await api.read(uri)).status, 'draft');
  });
});

describe('lists in the console, to an account that may not read lists', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are shown nowhere: not in what a form that is refused answers', async () => {
    const list = await api.create('list', { name: 'Whisperers', notes: 'Hush' });
    await api.create('list', { name: 'Shouters' });
    const visitor = await enterAs(api, 'list-write', ['list:write']);
    const _csrf = visitor.token(await visitor.get('/console/'));
    for (const [form, name] of [
      ['', ''],
      ['', 'Shouters'],
      [`${idIn(list)}/`, ''],
      [`${idIn(list)}/`, 'Shouters'],
    ]) {
      const answer = await visitor.post(`/console/lists/${form}`, { _csrf, name: name!, notes: '', version: 'x' });
      doesNotMatch(answer.body, /Whisperers|Hush/);
      equal(answer.statusCode, 403);
      match(answer.body, /needs the grant list:read/);
    }
    equal((await api.read(list)).name, 'Whisperers');
  });
});

describe('recurring gifts in the console, to an account that may not read profiles', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are said to be such, and not how much they are by now, nor how they stand', async () => {
    const { user, order } = await push(api, { order: { recurring_id: 'R1', recurring_period: 'weeks' } });
    const profile = order.orderrecurrings[0].resource_uri;
    equal((await api.call('PATCH', profile, { amount: '77.00' })).statusCode, 202);
    const donations = `/console/people/${idIn(user)}/donations/`;
    const whole = await enterAs(api, 'whole', ['user:read', 'order:read', 'orderrecurring:read']);
    match(text((await whole.get(donations)).body), /10\.00 USD give completed 77\.00 USD every week, active/);
    const partly = await enterAs(api, 'partly', ['user:read', 'order:read']);
    match(text((await partly.get(donations)).body), /10\.00 USD give completed again and again/);
  });
});
