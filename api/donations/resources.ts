import { completeOrder, deleteOrder } from '../../core/donations/change-order.ts';
import { completeProfile } from '../../core/donations/change-profile.ts';
import { completeNewTransaction, completeTransaction, followNewTransaction } from '../../core/donations/change-transaction.ts';
import { followOrder } from '../../core/donations/derived.ts';
import { ON_GET, orderdetailsSql, orderrecurringsSql, transactionsSql } from '../../core/donations/shown.ts';
import { asConverted, priceProblem, readCents, readConverted } from '../../domain/money.ts';
import { readText } from '../../domain/values.ts';
import { COMPLETED_TOO } from '../../domain/words.ts';
import { Candidate, DonationForm, Product } from '../../entities/donations/form.ts';
import { Order, OrderDetail, OrderRecurring, OrderUserDetail, Transaction } from '../../entities/donations/order.ts';
import { Currency, PaymentAccount } from '../../entities/donations/payment-account.ts';
import { DonationAttempt } from '../../entities/donations/push.ts';
import { fragment } from '../../entities/tables.ts';
import { type FieldOverride, type ResourceDeclaration, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

const AREA = { area: 'Donations' } satisfies Partial<ResourceDeclaration>;
const READ_ONLY = { ...AREA, methods: ['list', 'get'] } satisfies Partial<ResourceDeclaration>;

const CURRENCY: FieldOverride = {
  help: 'Three-letter ISO code.',
  check: (code: string) => (/^[A-Z]{3}$/.test(code) ? undefined : 'must be three capital letters'),
};
const ACTION: FieldOverride = { to: 'donationaction' };
const STAYS: FieldOverride = { readonly: true };
const GIVEN_TIME: FieldOverride = { readonly: false };
const DONE: FieldOverride = { same: COMPLETED_TOO };
/** Currencies as pushes take them. */
const ANY_CASE_CURRENCY: FieldOverride = { ...CURRENCY, read: (value) => readText(value).trim().toUpperCase() };
const AMOUNT: FieldOverride = {
  read: readCents,
  taken: { anyOf: [{ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$' }, { type: 'number' }] },
};
/** Taken with a new transaction alone; else it follows from the amount. */
const CONVERTED: FieldOverride = { read: (value) => asConverted(readConverted(String(value))), taken: AMOUNT.taken };
/** Shown by its name and taken by it, as pushes name it. */
const ACCOUNT: FieldOverride = {
  kind: 'string',
  required: false,
  nullable: false,
  sql: '(select a.name from core_paymentaccount a where a.id = t.account_id)',
  show: ({ account }) => account,
  help: 'Name of the payment account.',
  filteredBy: {
    column: fragment`a.name`,
    type: 'text',
    read: readText,
    where: (condition, alias) => fragment`${alias}.account_id in (select a.id from core_paymentaccount a where ${condition})`,
  },
};
/** Kept to ten decimals, shown to two. */
const converted = (column: string): FieldOverride => ({ readonly: true, sql: ON_GET.converted(`t."${column}"`), help: 'In US dollars.' });
const URIS = { type: 'array', items: { type: 'string', format: 'uri-reference' } };
const NAMED = { name: { trim: true } };

export const paymentaccount = resource({
  ...AREA,
  name: 'paymentaccount',
  about: 'an account payments are booked to; `import_stub` accounts take pushes',
  entity: PaymentAccount,
  fields: { ...NAMED, currency: CURRENCY },
  filtering: { id: SINCE, name: 'all', processor: EXACT, hidden: EXACT },
  ordering: ['name'],
});

export const currency = resource({
  ...AREA,
  name: 'currency',
  about: 'a currency and its rate to the euro, as the European Central Bank publishes it',
  entity: Currency,
  fields: {
    iso_code: CURRENCY,
    per_euro: {
      help: 'Units of this currency for one euro.',
      check: (rate: string) => (Number(rate) > 0 ? undefined : 'must be more than zero'),
    },
  },
  filtering: { id: SINCE, iso_code: EXACT, rate_date: SINCE },
  ordering: ['iso_code', 'rate_date'],
});

export const candidate = resource({
  ...AREA,
  name: 'candidate',
  about: 'somebody a donation may be split to',
  entity: Candidate,
  fields: NAMED,
  filtering: { id: SINCE, name: 'all', status: EXACT, hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'created_at', 'updated_at'],
});

export const product = resource({
  ...AREA,
  name: 'product',
  about: 'something that is given for a donation',
  entity: Product,
  fields: { ...NAMED, price: { check: priceProblem } },
  filtering: { id: SINCE, name: 'all', price: SINCE, status: EXACT, hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'price', 'created_at', 'updated_at'],
});

export const donationform = resource({
  ...AREA,
  name: 'donationform',
  about: 'what a donation page shows',
  entity: DonationForm,
  fields: { page: { to: 'donationpage' } },
  filtering: { id: SINCE, page: 'joins', products: 'joins', candidates: 'joins' },
  ordering: ['created_at', 'updated_at'],
});

export const order = resource({
  ...AREA,
  name: 'order',
  about: 'a donation',
  methods: ['list', 'get', 'update', 'delete'],
  entity: Order,
  fields: {
    action: { ...ACTION, alsoNamed: ['action_id'] },
    user: STAYS,
    user_detail: STAYS,
    card_num_last_four: STAYS,
    account: ACCOUNT,
    total: AMOUNT,
    currency: ANY_CASE_CURRENCY,
    status: DONE,
    import_id: { read: (value) => readText(value).trim() || null },
    created_at: GIVEN_TIME,
    total_converted: converted('total_converted'),
    orderdetails: { kind: 'list', sql: orderdetailsSql('t.id', ON_GET), schema: URIS, help: 'Its parts.' },
    orderrecurrings: { kind: 'list', sql: orderrecurringsSql('t.id', ON_GET), schema: URIS, help: 'Its recurring profile, in a list.' },
    shipping_address: { nullable: true, sql: 'null::text', help: 'None: nothing is shipped from here.' },
    transactions: { kind: 'references', to: 'transaction', sql: transactionsSql('t.id'), show: ({ transactions }) => transactions },
    reverse: {
      help: 'POST here reverses it.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `/rest/v1/order/${id}/reverse/`,
    },
  },
  filtering: {
    id: SINCE,
    action: 'joins',
    user: 'joins',
    account: EXACT,
    currency: EXACT,
    total: SINCE,
    import_id: 'all',
    status: EXACT,
    payment_method: EXACT,
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['created_at', 'updated_at', 'total'],
  hooks: {
    beforeUpdate: ({ sql, id, values }) => completeOrder(sql, id, values),
    afterUpdate: ({ sql, id }) => followOrder(sql, id),
    delete: ({ sql, id }) => deleteOrder(sql, id),
  },
});

export const orderdetail = resource({
  ...READ_ONLY,
  name: 'orderdetail',
  about: 'one part of a donation',
  entity: OrderDetail,
  fields: { amount_converted: converted('amount_converted') },
  filtering: { id: SINCE, order: 'joins', candidate: 'joins', product: 'joins', status: EXACT },
  ordering: ['created_at', 'updated_at'],
});

export const orderuserdetail = resource({
  ...AREA,
  name: 'orderuserdetail',
  methods: ['list', 'get', 'update'],
  about: 'name and address of a donor as given with one donation',
  entity: OrderUserDetail,
  inside: ['user'],
  filtering: { id: SINCE, email: 'all', last_name: 'all', created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
});

export const orderrecurring = resource({
  ...AREA,
  name: 'orderrecurring',
  methods: ['list', 'get', 'update'],
  about: 'a recurring profile',
  entity: OrderRecurring,
  inside: ['canceledAt'],
  fields: {
    order: STAYS,
    action: { ...ACTION, ...STAYS },
    user: STAYS,
    account: ACCOUNT,
    amount: AMOUNT,
    currency: ANY_CASE_CURRENCY,
    period: { alsoNamed: ['recurring_period'] },
    start: { alsoNamed: ['recurring_start'] },
    exp_date: { check: (date: string) => (/^(0[1-9]|1[0-2])\d\d$/.test(date) ? undefined : 'must be of the form MMYY') },
    card_num: { help: 'Its last four characters are kept.' },
    created_at: GIVEN_TIME,
    amount_converted: converted('amount_converted'),
    cancel: {
      help: 'POST here cancels it.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `/rest/v1/orderrecurring/${id}/cancel/`,
    },
  },
  filtering: {
    id: SINCE,
    order: 'joins',
    action: 'joins',
    user: 'joins',
    account: EXACT,
    recurring_id: 'all',
    status: EXACT,
    period: EXACT,
    start: SINCE,
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['created_at', 'updated_at', 'start'],
  uniqueKeys: [
    {
      constraint: 'core_orderrecurring_recurring_id_key',
      field: 'recurring_id',
      properties: ['recurringId', 'account'],
    },
  ],
  hooks: { beforeUpdate: ({ sql, id, values }) => completeProfile(sql, id, values) },
});

export const transaction = resource({
  ...AREA,
  name: 'transaction',
  methods: ['list', 'get', 'create', 'update'],
  about: 'something that happened to money or to a profile',
  entity: Transaction,
  fields: {
    account: ACCOUNT,
    type: { required: false },
    amount: AMOUNT,
    amount_converted: { ...converted('amount_converted'), readonly: false, required: false, ...CONVERTED },
    currency: ANY_CASE_CURRENCY,
    status: DONE,
    test_mode: { kind: 'boolean', sql: 'false', help: 'Always false: no money moves through here.' },
    created_at: GIVEN_TIME,
    reverse: {
      help: 'POST here reverses it.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `/rest/v1/transaction/${id}/reverse/`,
    },
  },
  filtering: {
    id: SINCE,
    order: 'joins',
    account: EXACT,
    type: EXACT,
    status: EXACT,
    success: EXACT,
    trans_id: 'all',
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['created_at', 'updated_at'],
  hooks: {
    beforeCreate: ({ sql, values }) => completeNewTransaction(sql, values),
    afterCreate: ({ sql, values }) => followNewTransaction(sql, values),
    beforeUpdate: ({ sql, id, values }) => completeTransaction(sql, id, values),
  },
});

export const donationattempt = resource({
  ...READ_ONLY,
  name: 'donationattempt',
  about: 'a push that was refused, and whose it was',
  entity: DonationAttempt,
  fields: { errors: { kind: 'dict', help: 'Which fields were wrong.' } },
  caseless: ['email'],
  filtering: { id: SINCE, email: EXACT, page: EXACT, created_at: SINCE },
  ordering: ['created_at'],
});
