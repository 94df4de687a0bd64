import { defineEntity, p } from '@mikro-orm/core';

/** Which SECRET_KEY the platform was prepared with last: what is made of it, and does not tell it (db/secret-mark.ts). One row. */
export const SecretMark = defineEntity({
  name: 'SecretMark',
  tableName: 'secret_mark',
  properties: {
    mark: p.text().primary(),
  },
});
