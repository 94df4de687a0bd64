import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';
import { Page } from '../pages/page.ts';
import { currency } from './columns.ts';

/** `processor` of the accounts pushes may use: no money moves through them. */
export const IMPORT_STUB = 'import_stub';

/** Where payments of a page are booked. */
export const PaymentAccount = defineEntity({
  name: 'PaymentAccount',
  tableName: 'core_paymentaccount',
  properties: {
    id: id(),
    name: p.text().unique(),
    processor: text().default(IMPORT_STUB),
    currency: currency(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** What a page of type donation has beyond any page; no row means no account of its own. */
export const DonationPage = defineEntity({
  name: 'DonationPage',
  tableName: 'core_donationpage',
  properties: {
    page: () => p.oneToOne(Page).primary().deleteRule('cascade').owner().fieldName('page_ptr_id'),
    paymentAccount: () => p.manyToOne(PaymentAccount).nullable().deleteRule('set null'),
  },
});

/** What one unit of the euro is worth in a currency, as the European Central Bank publishes it. */
export const Currency = defineEntity({
  name: 'Currency',
  tableName: 'core_currency',
  properties: {
    id: id(),
    isoCode: p.text().unique(),
    name: text(),
    /** Units of this currency for one euro. */
    perEuro: p.decimal().precision(24).scale(10).check('per_euro > 0'),
    rateDate: p.date().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
