import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';
import { READY } from '../support/mailings.ts';

// What only the server writes: whoever sends such a field, to whatever resource, in whatever way, changes nothing by it.

interface Schema {
  allowed_list_http_methods: string[];
  allowed_detail_http_methods: string[];
  fields: Record<string, { type: string; readonly: boolean }>;
}

/** Follow from what was written, or say when. */
const STAMPS = new Set(['updated_at']);
/** Made by the service out of something else, for which these tests have no service. */
const NOT_HERE = new Set(['crmmap', 'mergefile', 'upload', 'usermerge', 'bounce', 'action', 'whipcountactioncalled']);
/** A guard, of which 409 comes when it is not the stored one. */
const GUARDS: Record<string, string[]> = { mailer: ['targeting_version'] };

/** Something else of the same type. */
const FORGED: Record<string, unknown> = {
  integer: 987_654,
  number: 0.987,
  decimal: '987.65',
  boolean: true,
  datetime: '2001-02-03T04:05:06',
  date: '2001-02-03',
  related: '/rest/v1/authuser/1/',
  dict: { forged: 1 },
  list: ['forged'],
};
const forged = (type: string, shown: unknown): unknown => (typeof shown === 'boolean' ? !shown : (FORGED[type] ?? 'forged'));

describe('what only the server writes', () => {
  let api: TestApi;
  const schemas = new Map<string, Schema>();

  before(async () => {
    api = await startApi();
    const index: Record<string, { schema: string }> = await api.read('/rest/v1/');
    for (const [name, { schema }] of Object.entries(index)) schemas.set(name, await api.read(schema));
    await makeOneOfEach();
  });
  after(() => api.close());

  /** Creates an object with every server-written field beside its own, and looks that none was taken. */
  const create = async (resource: string, body: object): Promise<string> => {
    const { fields } = schemas.get(resource)!;
    const unwritable = Object.entries(fields).filter(([name, { readonly }]) => readonly && !GUARDS[resource]?.includes(name));
    const uri = await api.create(resource, {
      ...Object.fromEntries(unwritable.map(([name, { type }]) => [name, forged(type, null)])),
      ...body,
    });
    const made = await api.read(uri);
    for (const [name, { type }] of unwritable) {
      // What is true or false by chance, or has one value it can have, says nothing.
      if (type !== 'boolean') assert.notDeepEqual(made[name], forged(type, null), `${resource}.${name}`);
    }
    return uri;
  };

  async function makeOneOfEach(): Promise<void> {
    const list = await create('list', { name: 'Everyone' });
    const user = await create('user', {
      email: 'ann@example.org',
      fields: { shirt: 'L' },
      groups: [await create('usergroup', { name: 'g' })],
    });
    await create('user', { email: 'bob@example.org' });
    await create('phone', { user, phone: '202-555-0100' });
    await create('usergeofield', { user, name: 'ward', value: '1' });
    await create('userfield', { parent: user, name: 'hat', value: 'M' });
    for (const [name, body] of Object.entries({
      alloweduserfield: { name: 'colour' },
      authgroup: { name: 'editors' },
      authuser: { username: 'eve', email: 'eve@example.org', password: 'a-long-password' },
      blackholedemail: { email: 'trap@example.org' },
      candidate: { name: 'C', portrait_url: 'http://a.test/' },
      currency: { iso_code: 'XTS', name: 'Test', per_euro: '2' },
      emailwrapper: { name: 'w', template: '{{ content }}' },
      fromline: { from_line: '"Ann" <ann@example.org>' },
      language: { name: 'Klingon', iso_code: 'tlh' },
      mailingtestgroup: { name: 't' },
      multilingualcampaign: { name: 'm' },
      paymentaccount: { name: 'Stub' },
      product: { name: 'P', price: '1.00' },
      queryreport: { name: 'q', short_name: 'q', sql: 'select 1' },
      snippet: { name: 's', html: 'x' },
      tag: { name: 'x' },
      webhook: { url: 'https://example.org/', events: ['action'], secret: `whsec_${Buffer.alloc(32).toString('base64')}` },
    }))
      await create(name, body);
    await create('subscription', { user, list: await create('list', { name: 'Others' }) });

    const mailing = await create('mailer', { ...READY, includes: { lists: [list] } });
    // Created by the rules of the mailer API, which takes what a change of the low-level mailing does not.
    await api.create('mailing', { notes: 'low' });
    await create('recurringschedule', { mailing, period: 'daily' });

    const campaign = await create('eventcampaign', { name: 'canvass', title: 'Canvass' });
    for (const type of ['eventcreate', 'eventsignup']) await create(`${type}page`, { name: type, campaign });
    for (const type of ['signup', 'petition', 'unsubscribe', 'import', 'donation']) await create(`${type}page`, { name: type, list });
    for (const type of ['signup', 'petition', 'donation', 'eventcreate', 'eventsignup'])
      await create(`${type}form`, { page: await pageOf(type) });
    await create('pagefollowup', { page: await pageOf('signup') });
    const target = await create('target', { type: 'other', last: 'Doe' });
    const group = await create('specialtargetgroup', { name: 'Some', targets: [target] });
    await create('congresstargetgroup', { name: 'House', type: 'house', targets: [] });
    const whipcount = await create('whipcountpage', { name: 'whipcount', target_groups: [group] });
    await create('whipcountoverride', { page: whipcount, target, stance: 'opposed' });

    const email = 'ann@example.org';
    const act = async (page: string, more: object = {}) => {
      const answer = await api.call('POST', '/rest/v1/action/', { page, email, ...more });
      assert.equal(answer.statusCode, 201, answer.body);
    };
    await act('signup', { action_colour: 'red' });
    for (const page of ['petition', 'import', 'unsubscribe']) await act(page);
    await act('eventcreate', { event_title: 'Doors', event_starts_at: '2031-05-01T18:00:00' });
    const [event] = (await api.read('/rest/v1/event/')).objects;
    await create('eventfield', { event: event.resource_uri, name: 'kind', value: 'canvass' });
    await act('eventsignup', { event_id: event.id });
    await act('whipcount');
    const { order } = await push(api, { user: { email }, order: { recurring_id: 'R1' } });
    await push(api, { user: { email } });
    await create('partnerusermap', { user_id: Number(user.split('/').at(-2)), partner_contact_id: 7 });
    await create('partnerordermap', { order_id: order.id, contribution_id: 7 });
    const [transaction] = (await api.read('/rest/v1/transaction/')).objects;
    await create('partnertransactionmap', { transaction_id: transaction.id, contribution_id: 8 });
  }

  async function pageOf(type: string): Promise<string> {
    return (await api.read(`/rest/v1/${type}page/`)).objects[0].resource_uri;
  }

  it('stays as it is, whatever a change of the object says of it', async () => {
    const wrong: string[] = [];
    const unseen: string[] = [];
    for (const [resource, { fields, allowed_detail_http_methods: methods, allowed_list_http_methods: collection }] of schemas) {
      if (!methods.includes('patch') || !collection.includes('get') || NOT_HERE.has(resource)) continue;
      const [found] = (await api.read(`/rest/v1/${resource}/?_limit=1`)).objects;
      if (!found) {
        unseen.push(resource);
        continue;
      }
      const uri = `/rest/v1/${resource}/${found.id}/`;
      const before = await api.read(uri);
      const unwritable = Object.keys(fields).filter(
        (name) => fields[name]!.readonly && name in before && !GUARDS[resource]?.includes(name),
      );
      const body = Object.fromEntries(unwritable.map((name) => [name, forged(fields[name]!.type, before[name])]));
      for (const method of ['PATCH', 'PUT'].filter((each) => methods.includes(each.toLowerCase()))) {
        const answer = await api.call(method, uri, body);
        // The mailer API asks for at least one field that it takes.
        const nothingTaken = resource === 'mailer' && /At least one field/.test(answer.body);
        if (answer.statusCode >= 300 && !nothingTaken) wrong.push(`${method} ${uri}: ${answer.statusCode} ${answer.body.slice(0, 200)}`);
        const after = await api.read(uri);
        for (const name of unwritable) {
          if (!STAMPS.has(name) && JSON.stringify(after[name]) !== JSON.stringify(before[name])) {
            wrong.push(`${method} ${resource}.${name}: ${JSON.stringify(before[name])} became ${JSON.stringify(after[name])}`);
          }
        }
      }
    }
    assert.deepEqual({ wrong, unseen }, { wrong: [], unseen: [] });
  });
});
