import { completeProfile } from '../../core/donations/change-profile.ts';
import {
  completeNewTransaction,
  completeTransaction,
  followChangedTime,
  followNewTransaction,
} from '../../core/donations/change-transaction.ts';
import { holdOrderOf } from '../../core/donations/hold-order.ts';
import { OrderRecurring, Transaction } from '../../entities/donations/order.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { ACCOUNT, ACTION, AMOUNT, ANY_CASE_CURRENCY, AREA, CONVERTED, converted, DONE, GIVEN_TIME, STAYS } from './fields.ts';

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
  tally: [],
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
    beforeHold: ({ sql, id }) => holdOrderOf(sql, 'core_transaction', id),
    beforeUpdate: ({ sql, id, values }) => completeTransaction(sql, id, values),
    afterUpdate: ({ sql, id, values }) => followChangedTime(sql, id, values),
  },
});
