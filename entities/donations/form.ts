import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Page } from '../pages/page.ts';
import { amount } from './columns.ts';

/** Somebody a donation may be split to. */
export const Candidate = defineEntity({
  name: 'Candidate',
  tableName: 'core_candidate',
  properties: {
    id: id(),
    name: p.text().unique(),
    description: text(),
    portraitUrl: text(),
    status: status(['active', 'inactive'], 'active'),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** Something that is given for a donation. */
export const Product = defineEntity({
  name: 'Product',
  tableName: 'core_product',
  properties: {
    id: id(),
    name: p.text().unique(),
    description: text(),
    price: amount().default('0.00'),
    shippable: flag(),
    status: status(['active', 'inactive'], 'active'),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** What a donation page shows. */
export const DonationForm = defineEntity({
  name: 'DonationForm',
  tableName: 'core_donationform',
  properties: {
    id: id(),
    page: () => p.oneToOne(Page).deleteRule('cascade').owner(),
    askText: text(),
    thankYouText: text(),
    products: () => p.manyToMany(Product).pivotTable('core_donationform_products'),
    candidates: () => p.manyToMany(Candidate).pivotTable('core_donationform_candidates'),
    clientHosted: flag(),
    clientUrl: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
