import { createHmac, randomBytes } from 'node:crypto';
import type { Env } from '../../config/env.ts';
import type { Repeatable } from '../../core/once.ts';

/**
 * A password that is shown once and stored nowhere: 120 bits, in characters that can be read out. It is made of the key of the page its button is on, so that a second press of it
 * shows the same one; a page that has no key gets one by chance.
 */
export function newPassword({ SECRET_KEY }: Pick<Env, 'SECRET_KEY'>, { idempotencyKey, accountId, route }: Repeatable): string {
  if (!idempotencyKey) return randomBytes(15).toString('base64url');
  const made = createHmac('sha256', SECRET_KEY).update(JSON.stringify(['new-password', accountId, route, idempotencyKey]));
  return made.digest().subarray(0, 15).toString('base64url');
}
