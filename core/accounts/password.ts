import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

// scrypt at the strength OWASP asks of it (N=2^15, r=8, p=3): about a quarter of a second and 32 MB. core/accounts/credentials.ts sees to
// it that no request pays this twice.

/** What new passwords are hashed at; it stays as it is. Tests of other things, which make hundreds of accounts, take less. */
export const passwordCost = { N: 2 ** 15, r: 8, p: 3 };
const LENGTH = 32;
const MAX_MEMORY = 128 * 1024 * 1024;

/** @returns `scrypt$N$r$p$salt$key`, salt and key in base64 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, passwordCost);
  return ['scrypt', passwordCost.N, passwordCost.r, passwordCost.p, salt.toString('base64'), key.toString('base64')].join('$');
}

/**
 * Whether the password is the one hashed. A hash of null (no such account) and a broken one take as long as a wrong password, and are
 * never right.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [kind, N, r, p, salt, key] = (hash ?? '').split('$');
  const wanted = Buffer.from(key ?? '', 'base64');
  const usable = kind === 'scrypt' && wanted.length === LENGTH;
  const cost = usable ? { N: Number(N), r: Number(r), p: Number(p) } : passwordCost;
  const given = await derive(password, Buffer.from(usable ? salt! : '', 'base64'), cost);
  return timingSafeEqual(given, usable ? wanted : Buffer.alloc(LENGTH)) && usable;
}

function derive(password: string, salt: Buffer, cost: typeof passwordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, LENGTH, { ...cost, maxmem: MAX_MEMORY }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
