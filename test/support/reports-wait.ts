import type { Pool } from '../../db/driver.ts';

/** Reports wait from now on for what a test holds, however long that takes; by themselves they give up after some seconds. To be called once their login is there. */
export async function reportsWait(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(
    `do $$ begin execute format('alter role campaign_report in database %I set lock_timeout = 0', current_database()); end $$`,
  );
}

/** In a statement of a report: waits at each row, which has been read by then, while a test holds it. */
export const HOLD = 'pg_advisory_xact_lock_shared(7)::text';

/** Holds reports at the first row that they have read. */
export async function holdReports(pool: Pool): Promise<{ reached(): Promise<void>; goOn(): Promise<void> }> {
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(7)');
  const waiting = `select from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' and not granted and datname = current_database()`;
  return {
    /** Once one of them has read somebody. */
    async reached() {
      while (!(await holder.query(waiting)).rowCount) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async goOn() {
      await holder.query('select pg_advisory_unlock(7)');
      holder.release();
    },
  };
}

/** As `HOLD`, where statements of reports are looked through and may not call it themselves: whoever reads tags is held by them. */
export async function holdByTags(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(`
    insert into core_tag (name) values ('Held');
    do $$ begin
      execute 'create or replace view report.core_tag as select * from (' || rtrim(pg_get_viewdef('report.core_tag'), ';') || ') t where ${HOLD} is not null';
    end $$`);
}
