import { hash, randomBytes } from 'node:crypto';
import type { Sql } from '../../db/sql.ts';
import { CredentialsError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';
import type { StoredAccount } from './account.ts';

/** 256 bits of chance need no slow hash: nobody finds one by trying. */
const hashOf = (text: string): string => hash('sha256', text, 'base64url');

/**
 * Opens a session for a member of staff, and sweeps out those that are over.
 * @param account as it was when its password was looked at
 * @returns its token, or null when the account is not staff
 * @throws CredentialsError when it has another password by now: the session would outlive that
 */
export async function openConsoleSession(
  sql: Sql,
  { id, passwordHash }: Pick<StoredAccount, 'id' | 'passwordHash'>,
  hours: number,
): Promise<string | null> {
  const token = randomBytes(32).toString('base64url');
  const [known] = await sql<{ staff: boolean }>(
    `with swept as (delete from auth_consolesession where expires_at < now()),
       known as (select id, password, is_staff or is_superuser as staff from auth_user where id = $1 and password = $4),
       opened as (
         insert into auth_consolesession (token_hash, user_id, password_digest, expires_at)
         select $2, id, encode(sha256(convert_to(password, 'UTF8')), 'hex'), now() + make_interval(hours => $3) from known where staff)
     select staff from known`,
    [id, hashOf(token), hours, passwordHash],
  );
  if (!known) throw new CredentialsError();
  return known.staff ? token : null;
}

/** The user name a token stands for; null when it is not one of ours, over, or the account's password or standing has changed. */
export async function usernameOfConsoleSession(sql: Sql, token: string): Promise<string | null> {
  if (!/^[\w-]{43}$/.test(token)) return null;
  const [row] = await sql<{ username: string }>(
    `select u.username from auth_consolesession s join auth_user u on u.id = s.user_id
     where s.token_hash = $1 and s.expires_at > now() and u.is_active and (u.is_staff or u.is_superuser)
       and s.password_digest = encode(sha256(convert_to(u.password, 'UTF8')), 'hex')`,
    [hashOf(token)],
  );
  return row?.username ?? null;
}

/** A session outlives the password it was opened by: whoever is in it has given themselves another one. */
export async function keepConsoleSession(sql: Sql, token: string, accountId: number): Promise<void> {
  await sql(
    `update auth_consolesession set password_digest = (select encode(sha256(convert_to(password, 'UTF8')), 'hex') from auth_user where id = $2)
     where token_hash = $1 and user_id = $2`,
    [hashOf(token), accountId],
  );
}

/** Ends the sessions of an account that may have none: let in again, it logs in again. */
export async function closeSessionsOfNoStaff(sql: Sql, accountId: number): Promise<void> {
  await sql(
    `delete from auth_consolesession s using auth_user u
     where u.id = $1 and s.user_id = u.id and not (u.is_active and (u.is_staff or u.is_superuser))`,
    [accountId],
  );
}

/** Ends a session; there may be none. */
export async function closeConsoleSession(sql: Sql, token: string): Promise<void> {
  await run(sql, tables.deleteFrom('auth_consolesession').where('token_hash', '=', hashOf(token)));
}
