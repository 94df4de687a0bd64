import { fastifyCookie } from '@fastify/cookie';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { type Account, findAccount, type StoredAccount } from '../../core/accounts/account.ts';
import { closeConsoleSession, openConsoleSession, usernameOfConsoleSession } from '../../core/accounts/console-sessions.ts';
import type { Sql } from '../../db/sql.ts';

const COOKIE = 'campaign_console';
const CONSOLE_PATH = '/console';

const tokenIn = (header: string | undefined): string => (header && fastifyCookie.parse(header)[COOKIE]) || '';

/** Options of a page: for who has the grant, or, with null, for everybody. */
export const page = (permission: string | null, more: { reads?: boolean } = {}): { config: FastifyContextConfig } => ({
  config: { session: true, ...(permission ? { permission } : { open: true }), ...more },
});

/** Who is logged in by this Cookie header, or null. */
export async function accountOfSession(sql: Sql, header: string | undefined): Promise<Account | null> {
  const token = tokenIn(header);
  const username = token ? await usernameOfConsoleSession(sql, token) : null;
  return username === null ? null : findAccount(sql, username);
}

/** Stands for the session of who is not logged in. */
export const NOBODY = 'nobody';

/** What a form's token is bound to, so that one made for another session, or for none, is worth nothing. */
export const sessionOf = (request: FastifyRequest): string => tokenIn(request.headers.cookie) || NOBODY;

/** Cookies are sent over TLS only where the service is reached by it. */
export const cookieOptions = (request: FastifyRequest, baseUrl: string) => ({
  path: CONSOLE_PATH,
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: baseUrl.startsWith('https:') || request.protocol === 'https',
});

/** @returns false when the account is not staff @throws CredentialsError when its password was changed meanwhile */
export async function logIn(
  sql: Sql,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, baseUrl, hours }: { account: StoredAccount; baseUrl: string; hours: number },
): Promise<boolean> {
  const token = await openConsoleSession(sql, account, hours);
  if (token === null) return false;
  reply.setCookie(COOKIE, token, { ...cookieOptions(request, baseUrl), maxAge: hours * 3600 });
  return true;
}

export async function logOut(sql: Sql, request: FastifyRequest, reply: FastifyReply, baseUrl: string): Promise<void> {
  await closeConsoleSession(sql, sessionOf(request));
  reply.clearCookie(COOKIE, cookieOptions(request, baseUrl));
}
