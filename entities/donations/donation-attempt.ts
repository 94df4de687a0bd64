import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, text } from '../columns.ts';

/** A push that was refused: whom an operator has to ask. Nothing else of the push was kept. */
export const DonationAttempt = defineEntity({
  name: 'DonationAttempt',
  tableName: 'core_donationattempt',
  properties: {
    id: id(),
    email: text(),
    name: text(),
    page: text(),
    errors: p.json<unknown>(),
    createdAt: createdAt(),
  },
  indexes: [
    {
      name: 'core_donationattempt_email_index',
      expression: 'create index core_donationattempt_email_index on core_donationattempt (lower(email))',
    },
  ],
});
