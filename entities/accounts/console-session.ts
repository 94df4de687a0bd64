import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { AuthUser } from './auth-user.ts';

/** Somebody at the console. Only hashes are kept: of the cookie's token, and of the stored password, so that a new password ends all sessions. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'auth_consolesession',
  properties: {
    tokenHash: p.text().primary(),
    user: () => p.manyToOne(AuthUser).deleteRule('cascade').index(),
    passwordDigest: p.text(),
    createdAt: createdAt(),
    expiresAt: p.datetime(6).index(),
  },
});
