import { defineEntity, p } from '@mikro-orm/core';
import { PARTNER_KINDS } from '../../domain/words.ts';
import { createdAt, id, text, updatedAt } from '../columns.ts';
import { Order, Transaction } from '../donations/order.ts';
import { User } from '../people/user.ts';

/** How many mappings of the same thing were taken away before this one (a trigger counts them): each had a record of its own over there. */
const generation = () => p.integer().default(0).hidden();

/** In which run of the integration it was made; null where somebody else did. */
const round = () => p.text().nullable().index().hidden();

/** The contact a user is in the external contacts and contributions system. Two users may be one contact there. */
export const PartnerUserMap = defineEntity({
  name: 'PartnerUserMap',
  tableName: 'core_partnerusermap',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').unique(),
    partnerContactId: p.integer().index(),
    generation: generation(),
    round: round(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** The contribution an order is there. */
export const PartnerOrderMap = defineEntity({
  name: 'PartnerOrderMap',
  tableName: 'core_partnerordermap',
  properties: {
    id: id(),
    order: () => p.manyToOne(Order).deleteRule('cascade').unique(),
    contributionId: p.integer().index(),
    generation: generation(),
    round: round(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** The contribution a transaction, a payment on a recurring order, is there. */
export const PartnerTransactionMap = defineEntity({
  name: 'PartnerTransactionMap',
  tableName: 'core_partnertransactionmap',
  properties: {
    id: id(),
    transaction: () => p.manyToOne(Transaction).deleteRule('cascade').unique(),
    contributionId: p.integer().index(),
    generation: generation(),
    round: round(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/**
 * That a record is about to be made over there. It is written before the record can exist and goes with the mapping's arrival: after a
 * crash, or an answer that was lost, the record is looked for under the key that comes of it, so that there is never a second one.
 */
export const PartnerIntent = defineEntity({
  name: 'PartnerIntent',
  tableName: 'partner_intent',
  properties: {
    id: id(),
    kind: p.enum(PARTNER_KINDS),
    /** Of the user, order or transaction. */
    localId: p.integer(),
    generation: p.integer().default(0),
    /** When the user, order or transaction was made, as it was when this was first seen to; null before that. */
    born: p.datetime(6).nullable(),
    /** Of somebody erased who is gone, by a merge or a deletion, before the system was told: the contact they were there. */
    contact: p.integer().nullable(),
    /** What the system said when it refused. */
    error: text(),
    heldBy: p.text().nullable(),
    heldUntil: p.datetime(6).nullable(),
    createdAt: createdAt(),
  },
  uniques: [{ name: 'partner_intent_local_key', properties: ['kind', 'localId'] }],
});
