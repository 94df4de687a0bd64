import { defineEntity, p } from '@mikro-orm/core';
import { ORDER_STATUSES, RECURRING_PERIODS, RECURRING_STATUSES, TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Action } from '../pages/page.ts';
import { User } from '../people/user.ts';
import { amount, convertedAmount, currency } from './columns.ts';
import { Candidate, Product } from './form.ts';
import { PaymentAccount } from './payment-account.ts';

/** Name and address of a donor as they were given with one order. `user` only says with whom it has to go. */
export const OrderUserDetail = defineEntity({
  name: 'OrderUserDetail',
  tableName: 'core_orderuserdetail',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    email: text(),
    prefix: text(),
    firstName: text(),
    middleName: text(),
    lastName: text(),
    suffix: text(),
    address1: text().fieldName('address1'),
    address2: text().fieldName('address2'),
    city: text(),
    state: text(),
    region: text(),
    zip: text(),
    plus4: text().fieldName('plus4'),
    postal: text(),
    country: text(),
    source: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_orderuserdetail_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_orderuserdetail_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

/** A donation. Nothing of a card is kept but its last four characters. */
export const Order = defineEntity({
  name: 'Order',
  tableName: 'core_order',
  properties: {
    id: id(),
    // No cascade: a page whose donations would vanish with it cannot be deleted. Those of a user go with the user.
    action: () => p.oneToOne(Action).deleteRule('no action').owner(),
    /** The mailing its action came of, kept here by a trigger (entities/mailings/tally.ts). */
    mailing: p.integer().nullable().fieldName('mailing_id').hidden(),
    mailingPlace: p.integer().nullable().hidden(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    userDetail: () => p.manyToOne(OrderUserDetail).deleteRule('no action').index(),
    account: () => p.manyToOne(PaymentAccount).deleteRule('no action').index(),
    cardNumLastFour: text(),
    currency: currency(),
    total: amount(),
    totalConverted: convertedAmount(),
    importId: p.text().nullable().unique(),
    paymentMethod: text().default('cc'),
    status: status(ORDER_STATUSES, 'completed'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_order_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_order_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

/** One part of an order: the amount for a candidate, or some of a product. */
export const OrderDetail = defineEntity({
  name: 'OrderDetail',
  tableName: 'core_orderdetail',
  properties: {
    id: id(),
    order: () => p.manyToOne(Order).deleteRule('cascade').index(),
    candidate: () => p.manyToOne(Candidate).nullable().deleteRule('no action').index(),
    product: () => p.manyToOne(Product).nullable().deleteRule('no action').index(),
    quantity: p.integer().default(1),
    amount: amount(),
    amountConverted: convertedAmount(),
    currency: currency(),
    status: status(ORDER_STATUSES, 'completed'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_orderdetail_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_orderdetail_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

/** A recurring profile: what is charged elsewhere, how often and from when. */
export const OrderRecurring = defineEntity({
  name: 'OrderRecurring',
  tableName: 'core_orderrecurring',
  properties: {
    id: id(),
    order: () => p.oneToOne(Order).deleteRule('cascade').owner(),
    action: () => p.manyToOne(Action).deleteRule('no action').index(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    account: () => p.manyToOne(PaymentAccount).deleteRule('no action'),
    /** Of the profile at the payment processor. */
    recurringId: p.text(),
    /** MMYY. */
    expDate: text(),
    cardNum: text(),
    amount: amount(),
    amountConverted: convertedAmount(),
    currency: currency(),
    period: p.enum(RECURRING_PERIODS).default('months'),
    start: p.date(),
    status: status(RECURRING_STATUSES, 'active'),
    /** When it was canceled; null while it goes on. */
    canceledAt: p.datetime(6).nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  uniques: [{ name: 'core_orderrecurring_recurring_id_key', properties: ['recurringId', 'account'] }],
  indexes: [
    { name: 'core_orderrecurring_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_orderrecurring_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

/** Something that happened to money or to a profile. */
export const Transaction = defineEntity({
  name: 'Transaction',
  tableName: 'core_transaction',
  properties: {
    id: id(),
    type: p.enum(TRANSACTION_TYPES),
    order: () => p.manyToOne(Order).deleteRule('cascade').index(),
    /** The page of its order's action, and whether the order has a profile; kept here by triggers (entities/donations/tally.ts). */
    page: p.integer().nullable().fieldName('page_id').hidden(),
    recurring: flag().hidden(),
    account: () => p.manyToOne(PaymentAccount).deleteRule('no action'),
    amount: amount(),
    amountConverted: convertedAmount(),
    currency: currency(),
    success: flag(true),
    status: status(TRANSACTION_STATUSES, 'completed'),
    transId: text(),
    /** Of a credit: the sale it gives back. */
    reversed: () => p.manyToOne(Transaction).nullable().deleteRule('set null').hidden(),
    failureCode: text(),
    failureDescription: text(),
    failureMessage: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_transaction_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_transaction_updated_at_index', properties: ['updatedAt', 'id'] },
    // Few give anything back.
    {
      name: 'core_transaction_reversed_id_index',
      expression: 'create index core_transaction_reversed_id_index on core_transaction (reversed_id) where reversed_id is not null',
    },
    // By it who processes payments names one.
    {
      name: 'core_transaction_trans_id_index',
      expression: "create index core_transaction_trans_id_index on core_transaction (trans_id) where trans_id > ''",
    },
  ],
});
