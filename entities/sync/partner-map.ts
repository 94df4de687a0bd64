import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, updatedAt } from '../columns.ts';
import { User } from '../people/user.ts';

/** The contact a user is in the external contacts and contributions system. Two users may be one contact there. */
export const PartnerUserMap = defineEntity({
  name: 'PartnerUserMap',
  tableName: 'core_partnerusermap',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').unique(),
    partnerContactId: p.integer().index(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
