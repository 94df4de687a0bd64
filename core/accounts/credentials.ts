import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../db/sql.ts';
import { CredentialsError, ThrottledError, UnavailableError } from '../../domain/errors.ts';
import { NOW, statement, tables } from '../../entities/tables.ts';
import { leaseClock } from '../sending/lease-clock.ts';
import { type Account, findAccount, type StoredAccount } from './account.ts';
import { verifyPassword } from './password.ts';
import { LoginThrottle } from './throttle.ts';

const MOST_REMEMBERED = 10_000;
/** Slow hashes that are made or wait to be made: they share a few threads with all that reads files and looks up names. */
const MOST_VERIFIED = 16;

const noteLogin = statement(({ id }: { id: number }) => tables.updateTable('auth_user').set({ last_login: NOW }).where('id', '=', id));

/** What a caller shows. */
export interface Login {
  username: string;
  password: string;
  /** Of the caller, or the network that stands for them. */
  address: string;
}

interface Remembered {
  account: StoredAccount;
  /** By a clock that nobody sets back and that counts the sleep of a machine: by another, who was shut out elsewhere would be let in here for as long as it is wrong. */
  readAt: number;
}

const FORGOTTEN = Number.NEGATIVE_INFINITY;

/**
 * Tells who stands behind an Authorization header. A slow hash is paid once per credential: after that it is known by a keyed hash, and
 * stays right for as long as the account's stored hash is the one it was checked against. The account itself is read again every
 * moment, and at once after `forget()`.
 */
export class Credentials {
  #throttle: LoginThrottle;
  #accountMs: number;
  #sql: Sql;
  #key = randomBytes(32).toString('base64');
  #remembered = new Map<string, Remembered>();
  #checking = new Map<string, Promise<StoredAccount>>();
  #generation = 0;
  #verifying = 0;

  /** @param accountMs how long an account is used as last read, here and in every other process: a change of it (password, groups, is_active) is answered after this time */
  constructor(sql: Sql, accountMs: number) {
    this.#sql = sql;
    this.#accountMs = accountMs;
    this.#throttle = new LoginThrottle(sql);
  }

  /** Call after any change of accounts or groups has been committed. @returns when no other process goes by what was before, either */
  forget(): Promise<void> {
    this.#generation++;
    for (const remembered of this.#remembered.values()) remembered.readAt = FORGOTTEN;
    this.#checking.clear();
    return sleep(this.#accountMs);
  }

  /** The account of a credential that is remembered and was read a moment ago: no promise, no query. Null when it has to be checked. */
  remembered(authorization: string): Account | null {
    const known = this.#remembered.get(this.#keyOf(authorization));
    return known && leaseClock() - known.readAt < this.#accountMs && known.account.isActive ? known.account : null;
  }

  /** The account of a credential as it was read last, however long ago; null for one that was never right here, and after a change of accounts. */
  lastKnown(authorization: string): Account | null {
    const known = this.#remembered.get(this.#keyOf(authorization));
    return known && known.readAt !== FORGOTTEN && known.account.isActive ? known.account : null;
  }

  /** Keyed, so that a heap dump holds no credential; never leaves this process. */
  #keyOf(authorization: string): string {
    return hash('sha256', this.#key + authorization, 'base64');
  }

  /**
   * @param authorization the header `login` was read from
   * @throws CredentialsError wrong or inactive; ThrottledError after too many failures; UnavailableError while too many are looked at
   */
  async accountOf(authorization: string, login: Login): Promise<StoredAccount> {
    const key = this.#keyOf(authorization);
    let checking = this.#checking.get(key);
    if (!checking) {
      checking = this.#check(key, login);
      this.#checking.set(key, checking);
      const done = () => this.#checking.get(key) === checking && this.#checking.delete(key);
      checking.then(done, done);
    }
    const account = await checking;
    if (!account.isActive) throw new CredentialsError();
    return account;
  }

  async #check(key: string, login: Login): Promise<StoredAccount> {
    const known = this.#remembered.get(key);
    const generation = this.#generation;
    const readAt = leaseClock();
    const account = await findAccount(this.#sql, login.username);
    if (!account || account.passwordHash !== known?.account.passwordHash) {
      this.#remembered.delete(key);
      await this.#inTurn(() => this.#verify(login, account));
    }
    // Something changed while the slow hash was being made: right for this request, but not to be built on.
    if (generation === this.#generation) this.#remember(key, { account: account!, readAt });
    return account!;
  }

  /** Whoever is turned away has made no guess. */
  async #inTurn(verify: () => Promise<void>): Promise<void> {
    if (this.#verifying >= MOST_VERIFIED) throw new UnavailableError('Too many logins are being looked at; try again soon.');
    this.#verifying++;
    try {
      await verify();
    } finally {
      this.#verifying--;
    }
  }

  /** The slow way. A guess counts from when it is made: many at once are not one. */
  async #verify({ username, password, address }: Login, account: StoredAccount | null): Promise<void> {
    const seconds = await this.#throttle.guess(username, address);
    if (seconds > 0) throw new ThrottledError('authorization', 'Too many failed logins.', seconds);
    if (!(await verifyPassword(password, account?.passwordHash ?? null)) || !account) throw new CredentialsError();
    await this.#throttle.succeeded(username, address);
    await noteLogin(this.#sql, { id: account.id });
  }

  #remember(key: string, remembered: Remembered): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, remembered);
    const oldest = this.#remembered.keys().next().value;
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
