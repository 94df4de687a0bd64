import { deepEqual, doesNotThrow, ok, throws } from 'node:assert/strict';
import { SUBMISSION } from '../../api/actions/routes.ts';
import { readSubmission } from '../../api/actions/submission.ts';
import { readDonation } from '../../api/donations/push/donation-input.ts';
import { readCancel, readPayment, readUpdate } from '../../api/donations/push/profile-input.ts';
import { CANCEL, DONATION, PAYMENT, UPDATE } from '../../api/donations/schemas.ts';
import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import { PHONES_BY_TYPE } from '../../domain/people/phone-number.ts';

interface Schema {
  required?: readonly string[];
  anyOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
}
type Body = Record<string, unknown>;

const PERSON = Object.fromEntries(NAME_AND_ADDRESS.map((name) => [name, name === 'country' ? 'Norway' : 'x']));
const PHONES = Object.fromEntries(PHONES_BY_TYPE.map(({ name }) => [name, '202 555 0101']));
const CARD = { card_num: '4111111111111111', exp_date_month: '12' };
const PROFILE = { order_id: 5, recurring_id: 'r-1', created_at: '2026-01-02T03:04:05', trans_id: 't-1' };
const MONEY = { amount: '10.00', currency: 'EUR' };

/** Bodies whose reader takes them as a whole, each with every field there is. */
const BODIES: Record<string, { schema: object; read: (body: unknown) => unknown; full: Body }> = {
  'an action': {
    schema: SUBMISSION,
    read: readSubmission,
    full: {
      ...PERSON,
      page: 'petition',
      email: 'ann@example.org',
      akid: '.1.abcdef',
      referring_akid: '.2.abcdef',
      mailing_id: 7,
      lists: [1, 2],
      opt_in: true,
      skip_confirmation: false,
      suppress_subscribe: 0,
      source: 'site',
      name: 'Ann Lee',
      phone: '202 555 0101',
      phone_type: 'mobile',
      ...PHONES,
    },
  },
  'a donation push': {
    schema: DONATION,
    read: readDonation,
    full: {
      donationpage: { name: 'give', payment_account: 'Stub' },
      order: {
        ...MONEY,
        ...CARD,
        card_code: '007',
        exp_date_year: '2030',
        orderdetails: [{ candidate: { id: 1, name: 'Lee' }, amount: '5.00' }],
        created_at: '2026-01-02T03:04:05',
        donation_date: '2026-01-02T03:04:05',
        payment_account: 'Stub',
        donation_import_id: 'i-1',
        import_id: 'i-1',
        donation_currency: 'EUR',
        total_converted: '12.00',
        trans_id: 't-1',
        recurring_id: 'r-1',
        recurring_period: 'months',
        recurring_start: '2026-02-03',
      },
      user: {
        ...PERSON,
        email: 'ann@example.org',
        name: 'Ann Other',
        akid: '.1.abcdef',
        source: 'site',
        fields: { user_colour: 'red' },
        lists: [1, { name: 'News' }],
      },
      action: { created_at: '2026-01-02T03:04:05', source: 'site', fields: { colour: 'red' }, skip_confirmation: true },
    },
  },
  'a payment push': {
    schema: PAYMENT,
    read: readPayment,
    full: {
      ...PROFILE,
      ...MONEY,
      success: false,
      status: 'failed',
      failure_code: '51',
      failure_description: 'declined',
      failure_message: 'Declined.',
    },
  },
  'a change of a profile': {
    schema: UPDATE,
    read: readUpdate,
    full: {
      ...PROFILE,
      ...MONEY,
      ...CARD,
      exp_date_year: '30',
      exp_date: '1230',
      recurring_period: 'weeks',
      recurring_start: '2026-02-03',
    },
  },
  'the end of a profile': { schema: CANCEL, read: readCancel, full: { ...PROFILE, canceled_by: 'user' } },
};

/** Every object there is in a schema, or in a body, by its path, with its fields. */
function objectsOf(schema: Schema, path = '', found: Record<string, Schema> = {}): Record<string, Schema> {
  if (schema.items) objectsOf(schema.items, `${path}[]`, found);
  if (schema.properties) {
    found[path] = schema;
    for (const [name, field] of Object.entries(schema.properties)) objectsOf(field, `${path}.${name}`, found);
  }
  return found;
}

/** A body as empty as it can be with an object at every path, which notes what a reader looks for. */
function emptyOf(schema: Schema, asked: Record<string, Set<string>>, path = ''): unknown {
  if (schema.items?.properties) return [emptyOf(schema.items, asked, `${path}[]`)];
  const inner = Object.entries(schema.properties ?? {}).filter(([, field]) => field.properties || field.items?.properties);
  const target = Object.fromEntries(inner.map(([name, field]) => [name, emptyOf(field, asked, `${path}.${name}`)]));
  const names = new Set<string>();
  asked[path] = names;
  const noted =
    <Answer>(look: (target: object, name: string | symbol) => Answer) =>
    (_target: object, name: string | symbol): Answer => {
      if (typeof name === 'string') names.add(name);
      return look(target, name);
    };
  return new Proxy(target, { get: noted(Reflect.get), getOwnPropertyDescriptor: noted(Reflect.getOwnPropertyDescriptor) });
}

/** The object at a path of a copy of the body. */
function at(body: Body, path: string): Body {
  const steps = path.split('.').filter(Boolean);
  return steps.reduce<Body>((here, step) => {
    const inner = here[step.replace('[]', '')];
    return (step.endsWith('[]') ? (inner as Body[])[0] : inner) as Body;
  }, body);
}

/** The body with one of its objects changed. */
function changed(full: Body, path: string, change: (object: Body) => void): Body {
  const body = structuredClone(full);
  change(at(body, path));
  return body;
}

const sorted = (names: Iterable<string>) => [...names].sort();

describe('the document and the reader of', () => {
  for (const [what, { schema, read, full }] of Object.entries(BODIES)) {
    const objects = objectsOf(schema as Schema);

    it(`${what} know the same fields`, () => {
      const asked: Record<string, Set<string>> = {};
      throws(() => read(emptyOf(schema as Schema, asked)));
      for (const [path, { properties }] of Object.entries(objects)) {
        deepEqual(sorted(asked[path]!), sorted(Object.keys(properties!)), `${what}${path}`);
        deepEqual(sorted(Object.keys(at(full, path))), sorted(Object.keys(properties!)), `what is tried here: ${what}${path}`);
      }
    });

    it(`${what} require the same of them`, () => {
      doesNotThrow(() => read(structuredClone(full)));
      for (const [path, { required = [], anyOf = [], properties = {} }] of Object.entries(objects)) {
        for (const name of Object.keys(properties)) {
          const without = changed(full, path, (object) => delete object[name]);
          if (required.includes(name)) throws(() => read(without), Error, `${path}.${name}`);
          else doesNotThrow(() => read(without), `${path}.${name}`);
        }
        const choices = anyOf.flatMap((choice) => choice.required ?? []);
        if (choices.length === 0) continue;
        const leaving = (kept?: string) =>
          changed(full, path, (object) => {
            for (const name of choices) if (name !== kept) delete object[name];
          });
        for (const name of choices) doesNotThrow(() => read(leaving(name)), name);
        throws(() => read(leaving()));
      }
    });

    it(`${what} know the same words`, () => {
      const fields = Object.entries(objects).flatMap(([path, { properties = {} }]) =>
        Object.entries(properties).map(([name, field]) => ({
          path,
          name,
          words: field.enum ?? (field.const === undefined ? [] : [field.const]),
        })),
      );
      for (const { path, name, words } of fields.filter((field) => field.words.length > 0)) {
        const saying = (word: unknown) => changed(full, path, (object) => Object.assign(object, { [name]: word }));
        for (const word of words) doesNotThrow(() => read(saying(word)), `${name}: ${word}`);
        throws(() => read(saying('no such word')), Error, name);
      }
      ok(what === 'an action' || fields.some(({ words }) => words.length > 0));
    });
  }
});
