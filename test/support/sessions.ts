import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/**
 * Ends every other session of a login in a database, and waits until they are gone: one that is told to end still does what it is sent before it hears of that.
 * @param client of that login, in any database
 */
export async function endSessions(client: Pick<pg.Client, 'query'>, database: string): Promise<void> {
  await client.query(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1 and usename = current_user and pid <> pg_backend_pid()',
    [database],
  );
}

/** The name of the database of an address. */
export const databaseIn = (url: string): string => new URL(url).pathname.slice(1);

/**
 * Until so many sessions of a database wait for what others hold.
 * @param orOver what need not wait at all: its end is waited for, too
 */
export async function untilWaiting(client: Pick<pg.Pool, 'query'>, many = 1, orOver?: Promise<unknown>): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let over = false;
  const ends = () => {
    over = true;
  };
  orOver?.then(ends, ends);
  while (!over && (await client.query(waiting)).rowCount! < many) await sleep(10);
}
