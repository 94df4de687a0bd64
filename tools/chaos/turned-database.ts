import { createPool } from '../../db/pool.ts';

/**
 * Makes the clock of a database one that can be turned, before anything is in it: functions of our own stand before PostgreSQL's in the search path, so that
 * every now() and clock_timestamp() of statements and of defaults is theirs. Tables are still made in `public`, which comes first.
 */
export async function makeTurnable(databaseUrl: string): Promise<void> {
  const pool = createPool(databaseUrl, 1);
  const shift = 'make_interval(secs => seconds) from turned.clock';
  try {
    await pool.query(`
      create schema turned;
      create table turned.clock (seconds float8 not null);
      insert into turned.clock values (0);
      create table turned.strain (looked int not null);
      insert into turned.strain values (0);
      create function turned.now() returns timestamptz language sql stable as $$ select pg_catalog.now() + ${shift} $$;
      create function turned.clock_timestamp() returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() + ${shift} $$;
      grant usage on schema turned to public;
      grant select on turned.clock to public;
      alter role campaign set search_path = public, turned, pg_catalog;`);
  } finally {
    await pool.end();
  }
}
