import { defineEntity, p } from '@mikro-orm/core';

/** Wrong logins of a minute, by what they are counted for: an account, an address, both. Unlogged: a crash forgets them. */
export const LoginFailure = defineEntity({
  name: 'LoginFailure',
  tableName: 'auth_failure',
  properties: {
    /** Hashed. */
    key: p.blob().primary(),
    count: p.integer(),
    until: p.datetime(6).index(),
  },
});
