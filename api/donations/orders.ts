import { completeOrder, deleteOrder } from '../../core/donations/change-order.ts';
import { followOrder } from '../../core/donations/derived.ts';
import { ON_GET, orderdetailsSql, orderrecurringsSql, transactionsSql } from '../../core/donations/shown.ts';
import { holdPerson } from '../../core/people/hold-person.ts';
import { readText } from '../../domain/values.ts';
import { DonationAttempt } from '../../entities/donations/donation-attempt.ts';
import { Order, OrderDetail, OrderUserDetail } from '../../entities/donations/order.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { ACCOUNT, ACTION, AMOUNT, ANY_CASE_CURRENCY, AREA, converted, DONE, GIVEN_TIME, READ_ONLY, STAYS, URIS } from './fields.ts';

export const order = resource({
  ...AREA,
  name: 'order',
  about: 'a donation',
  methods: ['list', 'get', 'update', 'delete'],
  entity: Order,
  tally: [],
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
    beforeHold: ({ sql, id }) => holdPerson(sql, 'core_order', id),
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
  hooks: { beforeHold: ({ sql, id }) => holdPerson(sql, 'core_orderuserdetail', id) },
  filtering: { id: SINCE, email: 'all', last_name: 'all', created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
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
