import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { civiCrm } from '../../../core/crm/civicrm.ts';
import { type Contact, type Contribution, type Crm, CrmAway, CrmBusy, CrmRefused } from '../../../core/crm/crm.ts';
import { httpCrm } from '../../../core/crm/http-crm.ts';
import { StubCiviCrm } from '../../support/civicrm-stub.ts';
import { StubCrm, type StubServer } from '../../support/crm-stub.ts';

const ada: Contact = {
  external_ref: 'ref-1',
  email: 'ada@example.org',
  prefix: '',
  first_name: 'Ada',
  middle_name: '',
  last_name: 'Lovelace',
  suffix: '',
  address1: '1 Main St',
  address2: '',
  city: 'Springfield',
  state: 'MA',
  region: 'MA',
  zip: '01101',
  postal: '',
  country: 'United States',
  language: 'en',
  subscription_status: 'subscribed',
  fields: {},
};
const gift = (contactId: string): Contribution => ({
  external_ref: 'gift-1',
  contact_id: contactId,
  kind: 'order',
  amount: '10.00',
  currency: 'USD',
  received_at: '2026-01-02T03:04:05Z',
  trans_id: 'T1',
});

/** Long enough for a busy machine. */
const PATIENCE_MS = 30_000;
/** Where it is waited for. */
const SILENCE_MS = 1000;

interface Kind {
  name: string;
  stub: StubServer;
  open(settings: { baseUrl: string; headers: Record<string, string>; timeoutMs: number; bodyLimit: number }): Crm;
  /** The contact with this id, as the stub keeps it. */
  contact(id: string): Record<string, unknown> | undefined;
  contacts(): number;
  contributions(): number;
}

const plain = new StubCrm();
const civi = new StubCiviCrm();
const KINDS: Kind[] = [
  {
    name: 'http',
    stub: plain,
    open: httpCrm,
    contact: (id) => plain.contacts.get(id),
    contacts: () => plain.contacts.size,
    contributions: () => plain.contributions.size,
  },
  {
    name: 'civicrm',
    stub: civi,
    open: (settings) => civiCrm(settings),
    contact: (id) => {
      const row = civi.table('Contact').find((each) => each['id'] === Number(id));
      return row && { ...civi.table('Email').find((each) => each['contact_id'] === Number(id)), ...row };
    },
    contacts: () => civi.table('Contact').length,
    contributions: () => civi.table('Contribution').length,
  },
];

for (const kind of KINDS) {
  describe(`a CRM of the kind ${kind.name}`, () => {
    const { stub } = kind;
    const headers = { authorization: 'Bearer a-token' };
    let crm: Crm;

    before(async () => {
      await stub.listen();
      crm = kind.open({ baseUrl: `${stub.url}/`, headers, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    });
    after(() => stub.close());
    beforeEach(() => stub.reset());

    it('creates a contact and finds it by our reference and by its address', async () => {
      equal(await crm.findByRef('ref-1'), null);
      equal(await crm.findByEmail('ada@example.org'), null);
      const id = await crm.createContact(ada, 'key-1');
      deepEqual([await crm.findByRef('ref-1'), await crm.findByEmail('ADA@example.org')], [id, id]);
      deepEqual([kind.contact(id)?.first_name, kind.contact(id)?.email], ['Ada', 'ada@example.org']);
      ok(stub.requests.every(({ headers }) => headers.authorization === 'Bearer a-token'));
      ok(!stub.requests.some(({ path }) => path.includes('example.org')), 'no address stands in a path');
    });

    it('changes a contact, and says when it is gone', async () => {
      const id = await crm.createContact(ada, 'key-1');
      equal(await crm.updateContact(id, { ...ada, first_name: 'Grace', email: 'grace@example.org' }, 'key-2'), 'updated');
      deepEqual([kind.contact(id)?.first_name, kind.contact(id)?.email], ['Grace', 'grace@example.org']);
      equal(kind.contacts(), 1);
      const asked = stub.requests.length;
      equal(await crm.updateContact('987654', ada, 'key-3'), 'gone');
      equal(stub.requests.length, asked + 1, 'one request, which is what the limit counts');
    });

    it('creates one record of two requests, the first of whose answers was lost', async () => {
      stub.fault = (_request, nth) => (nth === 1 ? { kind: 'lost' } : null);
      await rejects(crm.createContact(ada, 'key-1'), CrmAway);
      const id = await crm.createContact(ada, 'key-1');
      equal(kind.contacts(), 1);
      const asked = stub.requests.length;
      stub.fault = (_request, nth) => (nth === asked + 1 ? { kind: 'lost' } : null);
      await rejects(crm.createContribution(gift(id), 'key-2'), CrmAway);
      const given = await crm.createContribution(gift(id), 'key-2');
      equal(kind.contributions(), 1);
      equal(await crm.findContribution('gift-1'), given);
    });

    it('ends a contact, and empties that of an erased user', async () => {
      const id = await crm.createContact(ada, 'key-1');
      await crm.endContact(id, 'disconnected', 'key-2');
      await crm.endContact(id, 'erased', 'key-3');
      await crm.endContact('987654', 'gone', 'key-4');
      if (kind.name === 'http') equal(kind.contact(id)?.ended, 'erased');
      else {
        deepEqual([civi.table('Email'), civi.table('Address')], [[], []]);
        deepEqual([kind.contact(id)?.first_name, kind.contact(id)?.do_not_email], ['', true]);
      }
    });

    it('tells a refusal from an outage from a request to wait', async () => {
      const answers = async (status: number, body: unknown, headers: Record<string, string> = {}): Promise<Error> => {
        stub.fault = () => ({ kind: 'status', status, body, headers });
        return crm.findByRef('x').then(
          () => new Error('it was no error'),
          (error: Error) => error,
        );
      };
      const refused = await answers(422, { message: 'no such country' });
      ok(refused instanceof CrmRefused);
      equal(refused.message, '422: no such country');
      for (const status of [400, 403, 404, 409]) ok((await answers(status, {})) instanceof CrmRefused, String(status));
      for (const status of [401, 408, 425, 500, 502, 503, 504, 301, 307])
        ok((await answers(status, {})) instanceof CrmAway, String(status));
      const busy = await answers(429, {}, { 'retry-after': '90' });
      ok(busy instanceof CrmBusy && busy.waitMs === 90_000);
      const date = await answers(429, {}, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
      ok(date instanceof CrmBusy && date.waitMs > 50_000 && date.waitMs <= 60_000);
      const away = await answers(503, {}, { 'retry-after': '120' });
      ok(away instanceof CrmAway && away.waitMs === 120_000);
      const long = await answers(400, { message: 'x'.repeat(5000) });
      ok(long.message.length < 600);
    });

    it('takes silence, half an answer, one that is too large and one that is no JSON for an outage', async () => {
      const faults = [
        { kind: 'silence' as const },
        { kind: 'half' as const },
        { kind: 'raw' as const, body: `["${'x'.repeat(200_000)}"]` },
        { kind: 'raw' as const, body: '<html>' },
        { kind: 'raw' as const, body: '' },
        { kind: 'raw' as const, body: '{"ids":[{}],"values":[{"id":{}}]}' },
      ];
      for (const fault of faults) {
        stub.fault = () => fault;
        const timeoutMs = fault.kind === 'silence' || fault.kind === 'half' ? SILENCE_MS : PATIENCE_MS;
        const asked = kind.open({ baseUrl: `${stub.url}/`, headers, timeoutMs, bodyLimit: 100_000 });
        await rejects(asked.findByRef('x'), CrmAway, JSON.stringify(fault).slice(0, 50));
      }
    });

    it('follows no redirect, and so shows its credential to nobody else', async () => {
      const other = await new StubCrm().listen();
      stub.fault = () => ({ kind: 'status', status: 307, headers: { location: `${other.url}/contacts/find` } });
      await rejects(crm.findByRef('x'), /leads elsewhere/);
      deepEqual(other.requests, []);
      await other.close();
    });

    it('is an outage when nobody listens', async () => {
      const ended = await new StubCrm().listen();
      await ended.close();
      const nobody = kind.open({ baseUrl: ended.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 1000 });
      await rejects(nobody.findByRef('x'), (error: Error) => {
        ok(error instanceof CrmAway);
        match(error.message, /^the connection failed \(\w+\)$/);
        return true;
      });
    });
  });
}

describe('a CRM whose ids are whole numbers no double holds', () => {
  before(async () => {
    await plain.listen();
  });
  after(() => plain.close());

  it('is answered with them digit by digit', async () => {
    const crm = httpCrm({ baseUrl: plain.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    plain.fault = () => ({ kind: 'raw', body: '{"id": 9007199254740993, "ids": [9007199254740995, 7]}' });
    equal(await crm.createContact(ada, 'key-1'), '9007199254740993');
    equal(await crm.findByRef('ref-1'), '9007199254740995');
    plain.fault = () => null;
    equal(await crm.updateContact('9007199254740993', ada, 'key-2'), 'gone');
    equal(plain.requests.at(-1)!.path, '/contacts/9007199254740993');
    plain.fault = () => ({ kind: 'raw', body: '{"ids": [1.5]}' });
    await rejects(crm.findByRef('x'), CrmAway);
  });
});

describe('CiviCRM', () => {
  before(async () => {
    await civi.listen();
  });
  after(() => civi.close());

  it('refuses with a 500 and a message; a busy database of its own is an outage', async () => {
    civi.reset();
    const crm = civiCrm({ baseUrl: civi.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    const say = (message: string) => {
      civi.fault = () => ({ kind: 'status', status: 500, body: { error_code: 0, error_message: message } });
    };
    say('Mandatory values missing from Api4 Contact::create');
    await rejects(crm.findByRef('x'), CrmRefused);
    say('DB Error: deadlock found');
    await rejects(crm.findByRef('x'), CrmAway);
  });

  it('keeps the name of somebody of whom we know none', async () => {
    civi.reset();
    const crm = civiCrm({ baseUrl: civi.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    const id = await crm.createContact(ada, 'key-1');
    const name = () => ['first_name', 'middle_name', 'last_name'].map((column) => civi.table('Contact')[0]?.[column]);
    const known = name();
    await crm.updateContact(id, { ...ada, first_name: '', middle_name: '', last_name: '' }, 'key-2');
    deepEqual(name(), known);
    await crm.updateContact(id, { ...ada, first_name: 'Augusta', middle_name: '', last_name: '' }, 'key-3');
    deepEqual(name(), ['Augusta', '', '']);
  });

  it('is told an address as it was sent in, not what CiviCRM has in a column of that name', async () => {
    civi.reset();
    const crm = civiCrm({ baseUrl: civi.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    const odd = { ...ada, address1: '$external_identifier', address2: '$email', city: '$first_name', zip: '$id', country: '$last_name' };
    const told = () =>
      ['street_address', 'supplemental_address_1', 'city', 'postal_code', 'country_id:label'].map((column) =>
        String(civi.table('Address')[0]?.[column]).trim(),
      );
    const expected = ['$external_identifier', '$email', '$first_name', '$id', '$last_name'];
    const id = await crm.createContact(odd, 'key-1');
    deepEqual(told(), expected);
    await crm.updateContact(id, odd, 'key-2');
    deepEqual(told(), expected);
    equal(civi.table('Address')[0]?.['contact_id'], Number(id));
  });

  it('books a recurring order as pending and a payment as completed', async () => {
    civi.reset();
    const crm = civiCrm({ baseUrl: civi.url, headers: {}, timeoutMs: PATIENCE_MS, bodyLimit: 100_000 });
    await crm.createContribution({ ...gift('5'), kind: 'recurring_order' }, 'a');
    await crm.createContribution({ ...gift('5'), external_ref: 'gift-2', kind: 'payment' }, 'b');
    const rows = civi.table('Contribution');
    deepEqual(
      rows.map((row) => row['contribution_status_id:name']),
      ['Pending', 'Completed'],
    );
    notEqual(rows[0]?.['id'], rows[1]?.['id']);
    deepEqual([rows[0]?.['contact_id'], rows[0]?.['total_amount'], rows[0]?.['receive_date']], [5, '10.00', '2026-01-02 03:04:05']);
  });
});
