import { hash, randomBytes } from 'node:crypto';
import type { Sql } from '../../db/sql.ts';
import { NOW, statement, tables } from '../../entities/tables.ts';

/** Seconds. */
export const LOGIN_TOKEN_TTL = { default: 86_400, minimum: 1, maximum: 2_592_000 } as const;

/** 256 bits of chance need no slow hash: nobody finds one by trying. */
const hashOf = (token: string): string => hash('sha256', token, 'base64url');

/**
 * A token that logs a user in on the platform's pages for `ttl` seconds. Only its hash is kept; expired ones of the user are swept out.
 * @returns the token, or null when there is no such user
 */
export async function issueLoginToken(sql: Sql, userId: number, ttl: number): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const rows = await sql(
    `with swept as (delete from core_logintoken where user_id = $1 and expires_at < now())
     insert into core_logintoken (user_id, token_hash, expires_at)
     select id, $2, now() + make_interval(secs => $3) from core_user where id = $1 for key share returning id`,
    [userId, hashOf(token), ttl],
  );
  return rows.length > 0 ? token : null;
}

const valid = statement(({ token_hash }: { token_hash: string }) =>
  tables.selectFrom('core_logintoken').where('token_hash', '=', token_hash).where('expires_at', '>', NOW).select('user_id'),
);

/** Whom a token logs in; null when it is not one of ours or is too old. The look-up is by hash, so that its time tells nothing. */
export async function userOfLoginToken(sql: Sql, token: string): Promise<number | null> {
  if (!/^[\w-]{43}$/.test(token)) return null;
  const [row] = await valid(sql, { token_hash: hashOf(token) });
  return row?.user_id ?? null;
}
