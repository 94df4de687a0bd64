import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import { CANCELERS, COMPLETED_TOO, PAYMENT_STATUSES, RECURRING_PERIODS } from '../../domain/words.ts';
import { booleanTaken, takes } from '../validation/takes.ts';
import { readDonation } from './push/donation-input.ts';
import { readCancel, readPayment, readUpdate } from './push/profile-input.ts';

// What the pushes take and answer. Their readers name everything that is wrong in one answer, by object and field, so each body is read as a whole.

const text = (description: string) => ({ type: 'string', description });
const AMOUNT = { type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$', description: 'A decimal as text, such as "10.00".' };
const TIMESTAMP = text('A timestamp in UTC.');
const FIELDS = { type: 'object', additionalProperties: true };
const ID = { anyOf: [{ type: 'integer' }, { type: 'string' }] };

const ORDER = {
  type: 'object',
  required: ['card_num', 'card_code', 'exp_date_month', 'exp_date_year'],
  properties: {
    amount: { ...AMOUNT, description: 'Required unless orderdetails carry amounts; all of them add up to the total.' },
    card_num: text('Not a real card number; its last four characters are kept.'),
    card_code: { const: '007', description: 'Always 007.' },
    exp_date_month: text('Two digits.'),
    exp_date_year: text('Four digits.'),
    orderdetails: {
      type: 'array',
      items: {
        type: 'object',
        required: ['candidate', 'amount'],
        properties: { candidate: { type: 'object', properties: { id: ID, name: text('Found, or made.') } }, amount: AMOUNT },
      },
    },
    created_at: text('Of the order, the action and a user that is made.'),
    donation_date: text('Of the order alone.'),
    payment_account: text('Name of an import-stub account, in place of that of the page.'),
    donation_import_id: text('A second push with it is a 409.'),
    import_id: text('The same as donation_import_id.'),
    currency: text('Three-letter ISO code; default that of the account.'),
    donation_currency: { ...text('Use currency.'), deprecated: true },
    total_converted: { ...AMOUNT, description: 'In US dollars, in place of a conversion at the stored rates.' },
    trans_id: text('Of the transaction elsewhere.'),
    recurring_id: text('Of the profile elsewhere; makes a recurring profile.'),
    recurring_period: { enum: RECURRING_PERIODS, default: 'months' },
    recurring_start: text('Day charges start; default today plus one period plus one day.'),
  },
};

const USER = {
  type: 'object',
  properties: {
    ...Object.fromEntries(['email', 'akid', ...NAME_AND_ADDRESS, 'source'].map((name) => [name, { type: 'string' }])),
    name: text('First and last name in one, where neither is given.'),
    fields: { ...FIELDS, description: 'Custom user fields; a prefix user_ is removed.' },
    lists: { type: 'array', items: {}, description: 'Ids or {name} objects; default the list of the page, empty for none.' },
  },
  additionalProperties: { description: '`action_<name>` becomes an action field; other unknown keys are ignored.' },
};

export const DONATION = takes(
  'push',
  {
    type: 'object',
    required: ['donationpage', 'order', 'user'],
    properties: {
      donationpage: {
        type: 'object',
        required: ['name'],
        properties: {
          name: text('Made when there is none.'),
          payment_account: text('Name of an import-stub account, for a page that is made.'),
        },
        description: 'With any field of the donation page resource, for a page that is made.',
      },
      order: ORDER,
      user: USER,
      action: {
        type: 'object',
        properties: {
          created_at: TIMESTAMP,
          source: { type: 'string' },
          fields: FIELDS,
          skip_confirmation: booleanTaken('Whether the person is sent no confirmation: not, unless given.'),
        },
      },
    },
  },
  readDonation,
);

const PROFILE = {
  order_id: { ...ID, description: 'Of the order the profile came with; wins over recurring_id.' },
  recurring_id: text('Of the profile elsewhere; refused where several profiles have it.'),
  created_at: TIMESTAMP,
  trans_id: { type: 'string' },
};
const EITHER = { anyOf: [{ required: ['order_id'] }, { required: ['recurring_id'] }] };
const MONEY = { amount: AMOUNT, currency: text('Three-letter ISO code.') };

export const PAYMENT = takes(
  'push',
  {
    type: 'object',
    ...EITHER,
    properties: {
      ...PROFILE,
      ...MONEY,
      // Neither has a default of its own: a generated client sends what the document calls one, and would say that a failed attempt was completed.
      success: booleanTaken('Unless given: true, but false where status is failed.'),
      status: {
        enum: [...PAYMENT_STATUSES, ...Object.keys(COMPLETED_TOO)],
        description: 'Unless given: completed, but failed where success is false.',
      },
      failure_code: { type: 'string' },
      failure_description: { type: 'string' },
      failure_message: { type: 'string' },
    },
  },
  readPayment,
);

export const UPDATE = takes(
  'push',
  {
    type: 'object',
    ...EITHER,
    properties: {
      ...PROFILE,
      ...MONEY,
      amount: { anyOf: [AMOUNT, { type: 'number', exclusiveMinimum: 0 }] },
      recurring_period: { enum: RECURRING_PERIODS },
      recurring_start: text('A day.'),
      card_num: text('Its last four characters are kept.'),
      exp_date_month: text('MM'),
      exp_date_year: text('YY'),
      exp_date: text('MMYY'),
    },
  },
  readUpdate,
);

export const CANCEL = takes(
  'push',
  {
    type: 'object',
    ...EITHER,
    required: ['canceled_by'],
    properties: { ...PROFILE, canceled_by: { enum: CANCELERS } },
  },
  readCancel,
);

export const PUSHED = { type: 'object', description: 'The donation action, its order in it.', additionalProperties: true };

export const REFUSED = {
  description:
    'Input that cannot be used: messages by input object and field, by field alone, or under errors for what came up in processing.',
  content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
};
