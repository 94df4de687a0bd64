import { hash, timingSafeEqual } from 'node:crypto';

// akid: `<mailing_id>.<user_id>.<hash>`, without a mailing `.<user_id>.<hash>`. It names a user (and the mailing it stood in) in links, and cannot be
// made up without the secret.

const HASH_LENGTH = 6;
const LARGEST_ID = 2_147_483_647;

/** SHA-256 over `SECRET.cleartext`, URL-safe base64: 43 characters, of which an akid shows the first six. */
export const akidDigest = (secret: string, cleartext: string): string => hash('sha256', `${secret}.${cleartext}`, 'base64url');

/** @param mailingId null gives the user's `token` */
export function akid(secret: string, mailingId: number | null, userId: number): string {
  const cleartext = `${mailingId ?? ''}.${userId}`;
  return `${cleartext}.${akidDigest(secret, cleartext).slice(0, HASH_LENGTH)}`;
}

/** The ids in an akid, or null when it is not one of ours. */
export function readAkid(secret: string, text: string): { mailingId: number | null; userId: number } | null {
  const found = /^(\d{1,10})?\.(\d{1,10})\.([\w-]{6})$/.exec(text);
  if (!found) return null;
  const [, mailing, user, given] = found;
  const expected = akidDigest(secret, text.slice(0, -HASH_LENGTH - 1)).slice(0, HASH_LENGTH);
  const ids = { mailingId: mailing === undefined ? null : Number(mailing), userId: Number(user) };
  if (ids.userId > LARGEST_ID || (ids.mailingId ?? 0) > LARGEST_ID) return null;
  return timingSafeEqual(Buffer.from(given!), Buffer.from(expected)) ? ids : null;
}
