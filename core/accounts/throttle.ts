import { hash } from 'node:crypto';
import type { Sql } from '../../db/sql.ts';

/** How many failures within the window close the way, for one account from one address, for one address, and for one account. */
const LIMITS = { pair: 10, address: 50, account: 100 };
const WINDOW = '1 minute';
/** That the window of a row is open. What seems to be so for longer than any can was counted before the clock of the database was set back; one more is for who waited for the row. */
const COUNTS = `f.until between now() and now() + 2 * interval '${WINDOW}'`;

/**
 * Counts failed logins over all processes, so that passwords cannot be guessed at speed. A correct credential that is still remembered is not asked about
 * here: an attacker cannot lock out a client that is at work.
 */
export class LoginThrottle {
  readonly #sql: Sql;

  /** @param sql outside of transactions */
  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Counts a guess as it is made, wrong until it is known to be right: many at once are not one.
   * @returns 0 when it may be looked at; else the seconds until one may be, and it is not counted
   */
  async guess(username: string, address: string): Promise<number> {
    const limits = keysOf(username, address);
    const keys = limits.map(([key]) => key);
    const waiting = await this.#closedFor(limits);
    if (waiting > 0) return waiting;
    // In order, so that two never wait for each other.
    const counted = await this.#sql<{ key: Buffer; count: number; seconds: number }>(
      `insert into auth_failure as f (key, count, until)
         select key, 1, now() + interval '${WINDOW}' from unnest($1::bytea[]) as k (key) order by key
       on conflict (key) do update set
         count = case when ${COUNTS} then f.count + 1 else 1 end,
         until = case when ${COUNTS} then f.until else excluded.until end
       returning key, count, extract(epoch from until - now())::float8 as seconds`,
      [keys],
    );
    const closed = counted.filter(({ key, count }) => limits.some(([limited, most]) => limited.equals(key) && count > most));
    if (closed.length === 0) return 0;
    await this.#takeBack(keys);
    return Math.max(1, ...closed.map(({ seconds }) => Math.ceil(seconds)));
  }

  /** Looked at first: where the way is closed already, each name that is tried would leave a row of its own. */
  async #closedFor(limits: ReturnType<typeof keysOf>): Promise<number> {
    const [row] = await this.#sql<{ seconds: number | null }>(
      `select max(extract(epoch from f.until - now()))::float8 as seconds from auth_failure f
       join unnest($1::bytea[], $2::int[]) as k (key, most) on k.key = f.key where f.count >= k.most and ${COUNTS}`,
      [limits.map(([key]) => key), limits.map(([, most]) => most)],
    );
    return Math.ceil(row?.seconds ?? 0);
  }

  /** Takes back what was counted when the guess was made, and forgets the failures of this account from this address. */
  async succeeded(username: string, address: string): Promise<void> {
    const [pair, ...others] = keysOf(username, address).map(([key]) => key);
    await this.#sql('delete from auth_failure where key = $1', [pair]);
    await this.#takeBack(others);
  }

  async #takeBack(keys: Buffer[]): Promise<void> {
    await this.#sql(
      `with held as (select key, count from auth_failure where key = any($1::bytea[]) order by key for update),
         gone as (delete from auth_failure f using held where held.key = f.key and held.count <= 1)
       update auth_failure f set count = f.count - 1 from held where held.key = f.key and held.count > 1`,
      [keys],
    );
  }
}

/** Hashed, since names and addresses of callers are nobody's business who reads the table. */
const keyOf = (text: string): Buffer => hash('sha256', text, 'buffer');

function keysOf(username: string, address: string): [key: Buffer, limit: number][] {
  return [
    [keyOf(JSON.stringify([username, address])), LIMITS.pair],
    [keyOf(`address ${address}`), LIMITS.address],
    [keyOf(`account ${username}`), LIMITS.account],
  ];
}
