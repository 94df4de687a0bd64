import { deepEqual, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';

describe('a form of the console whose button is pressed twice', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const hidden = async (url: string) => {
    const page = await visitor.get(url);
    return { _csrf: visitor.token(page), version: /name="version" value="([^"]*)"/.exec(page.body)![1]! };
  };
  type Fields = Record<string, string | string[]>;

  /** Sends it one after the other, then twice at once. */
  async function twice(form: string, fields: Fields): Promise<void> {
    const sent = { ...(await hidden(form)), ...fields };
    const first = await visitor.post(form, sent);
    equal(first.statusCode, 303, first.body);
    const answers = [await visitor.post(form, sent), ...(await Promise.all([visitor.post(form, sent), visitor.post(form, sent)]))];
    for (const answer of answers) deepEqual([answer.statusCode, answer.headers.location], [303, first.headers.location]);
  }

  it('is saved once, and nobody is said to have been there: when a mailing goes out', async () => {
    const uri = await api.create('mailer', READY);
    const form = `/console/mailings/${idIn(uri)}/schedule/`;
    await twice(form, { at: '2031-07-04T09:30', zone: 'Europe/Berlin', rate: '7.50', anew: '1' });
    await twice(form, { at: '', zone: 'UTC', rate: '' });
    equal((await api.read(uri)).scheduled_for, null);
  });

  it('… what a mailing says, however its tags were typed', async () => {
    const uri = await api.create('mailer', READY);
    const form = `/console/mailings/${idIn(uri)}/edit/`;
    const says = { subject: ['Walk'], preview_text: [''], from: READY.fromline, html: '<p>ours</p>', text: '' };
    for (const tags of ['b,a', ' a ,, b , a', 'zoo; 1 , b', '']) await twice(form, { ...says, html: `<p>${tags}</p>`, tags });
    deepEqual((await api.read(uri)).tags, []);
  });

  it('… who somebody is, what was corrected and what got a number with it', async () => {
    const uri = await api.create('user', { email: 'ann@example.org', fields: { shirt: 'L', cap: 'M' } });
    const form = `/console/people/${idIn(uri)}/edit/`;
    const fields = (more: Fields): Fields => ({ field_name: ['shirt', 'cap', ''], field_value: ['L', 'M', ''], ...more });
    await twice(
      form,
      fields({
        email: 'Ann@example.org',
        first_name: ' Ann ',
        zip: '10001-1234',
        phone: ['212 555 0100', ''],
        phone_type: ['mobile', 'home'],
      }),
    );
    const { city, state, phones } = await api.read(uri);
    deepEqual([city, state, phones.length], ['New York', 'NY', 1]);
    const { objects } = await api.read(`/rest/v1/phone/?user=${idIn(uri)}`);
    const phone = { phone_id: [String(objects[0].id), ''], phone: ['212 555 0100', '212 555 0199'], phone_type: ['mobile', 'home'] };
    const moved = { email: 'ann@bücher.example', first_name: 'Ann', zip: '94110', city, state: 'ny', country: 'us', ...phone };
    await twice(form, fields({ ...moved, field_name: ['shirt', 'cap', 'shoes'], field_value: ['L\r\nXL\r\n', '', '42'] }));
    const now = await api.read(uri);
    deepEqual([now.zip, now.fields, now.phones.length], ['94110', { shirt: ['L', 'XL'], shoes: '42' }, 2]);
    await twice(form, {
      email: 'ann@example.org',
      phone: '',
      phone_id: '',
      phone_type: 'home',
      field_name: ['shirt', 'shoes'],
      field_value: ['', ' 43 '],
    });
  });

  it('… what an account may do, in which groups, and what a group may', async () => {
    const groups = [await api.create('authgroup', { name: 'Zed', grants: [] }), await api.create('authgroup', { name: 'Ann', grants: [] })];
    const account = await api.create('authuser', { username: 'ada', password: 'a-long-enough-password' });
    const ids = groups.map((group) => String(idIn(group)));
    await twice(`/console/accounts/${idIn(account)}/`, { username: ' ada ', first_name: 'Ada', is_active: '1', groups: ids.toReversed() });
    await twice(`/console/accounts/groups/${ids[0]}/`, { name: ' Zed 2', grants: ['user:write', 'user:read'], others: 'elsewhere:read' });
  });

  it('… what a list is called', async () => {
    const list = await api.create('list', { name: 'Walkers' });
    await twice(`/console/lists/${idIn(list)}/`, { name: ' Runners ', notes: 'fast\r\nand far ', hidden: '1' });
  });

  it('is not taken for sent twice where somebody else was there in between', async () => {
    const uri = await api.create('user', { email: 'bob@example.org' });
    const form = `/console/people/${idIn(uri)}/edit/`;
    const sent = {
      ...(await hidden(form)),
      email: 'bob@example.org',
      first_name: 'Bob',
      zip: '10001',
      phone: '212 555 0100',
      phone_type: 'home',
    };
    equal((await visitor.post(form, sent)).statusCode, 303);
    for (const theirs of [{ city: 'Albany' }, { first_name: 'Rob' }, { phones: [] }, { fields: { shirt: 'L' } }, { last_name: 'Brown' }]) {
      const before = await api.read(uri);
      equal((await api.call('PATCH', uri, theirs)).statusCode, 202);
      const late = await visitor.post(form, sent);
      equal(late.statusCode, 409, JSON.stringify(theirs));
      match(late.body, /This person was changed since you opened the form/);
      const back = {
        city: before.city,
        first_name: 'Bob',
        last_name: '',
        fields: { shirt: null },
        phones: ['212 555 0100'].map((phone) => ({ phone, type: 'home' })),
      };
      equal((await api.call('PATCH', uri, back)).statusCode, 202);
    }
  });

  it('says at its place that a time is none', async () => {
    const uri = await api.create('mailer', READY);
    const form = `/console/mailings/${idIn(uri)}/schedule/`;
    const sent = { ...(await hidden(form)), zone: 'UTC', rate: '' };
    for (const at of ['tomorrow', '2031-02-30T10:00', '0000-01-01T00:00']) {
      const refused = await visitor.post(form, { ...sent, at });
      deepEqual([refused.statusCode, /The time /.test(refused.body)], [400, true], at);
    }
  });
});
