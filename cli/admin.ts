import { randomBytes } from 'node:crypto';
import type { Env } from '../config/env.ts';
import { hashPassword } from '../core/accounts/password.ts';
import { hostOf, whyUnreached } from '../db/away.ts';
import { isDatabaseError, newConnection } from '../db/driver.ts';
import { keptDatabase } from '../embedded/kept-addresses.ts';
import { keptAddress } from '../mail/address.ts';
import type { Command } from './command.ts';
import { AwayError, plain, RefusedError, UsageError } from './terminal.ts';
import { oneWord } from './words.ts';

const SHORTEST = 8;

/** Straight into the database: for when there is no account yet that the API would let in. */
const create: Command = async ({ env, words, options, say, terminal }) => {
  const username = oneWord(words, 'admin create needs a user name').trim();
  if (!username || !/^[^\p{Cc}:]+$/u.test(username))
    throw new UsageError('A user name must not be empty, nor hold a colon or control characters.');
  const email = addressIn(options.email);
  if (options.generate && options['password-stdin']) throw new UsageError('admin create takes --generate or --password-stdin, not both');
  const made = options.generate ? randomBytes(18).toString('base64url') : null;
  const password = made ?? (await readPassword(options['password-stdin'] === true, terminal));
  if (password.length < SHORTEST) throw new UsageError(`The password must have at least ${SHORTEST} characters.`);
  const url = databaseOf(env);
  const client = newConnection(url);
  try {
    await client.connect();
    const { rowCount } = await client.query(
      `insert into auth_user (username, email, password, is_staff, is_superuser) values ($1, $2, $3, true, true) on conflict (username) do nothing`,
      [username, email, await hashPassword(password)],
    );
    if (!rowCount) throw new RefusedError(`There is an account ${username} already.`);
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    if (isDatabaseError(error)) throw new AwayError(`The database refused: ${error.message}`);
    const { message } = error as Error;
    throw new AwayError(
      `${env.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR'}: no PostgreSQL answers at ${hostOf(url)}: ${whyUnreached(error as Error) ?? message}`,
    );
  } finally {
    await client.end().catch(() => {});
  }
  say(
    { username, ...(made && { password: made }) },
    () => `${username} is a superuser now.${made ? ` Password, shown this once: ${made}` : ''}`,
  );
};

/** As the API keeps addresses; empty where none is given. What cannot be mailed would be found out when a mail does not come. @throws UsageError */
function addressIn(given: string | undefined): string {
  if (given === undefined) return '';
  const address = keptAddress(given.trim());
  if (address === null) throw new UsageError(`--email: “${plain(given)}” is not an email address.`);
  return address;
}

/** Never a word of the command line: those stand in lists of processes. */
async function readPassword(fromInput: boolean, { input }: { input(): Promise<string> }): Promise<string> {
  if (!fromInput) throw new UsageError('admin create needs --generate, or --password-stdin and the password on standard input');
  return (await input()).replace(/\r?\n$/, '');
}

/** DATABASE_URL, or where npm start keeps its own. */
function databaseOf(env: Env): string {
  const url = env.DATABASE_URL ?? keptDatabase(env);
  if (!url) throw new UsageError(`There is no DATABASE_URL, and no database of npm start in ${env.DATA_DIR}.`);
  return url;
}

export const admin = { create };
