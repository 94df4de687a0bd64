import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { statement, tables } from '../../entities/tables.ts';

const withId = statement(({ mailingId }: { mailingId: number }) =>
  tables.selectFrom('core_mailing').where('id', '=', mailingId).select(['status', 'saved_count', 'stop_requested']),
);

/** The status of a mailing; null when there is none. */
export async function statusOf(pool: Pool, mailingId: number): Promise<MailingStatus | null> {
  const [mailing] = await withId(sqlOn(pool), { mailingId });
  return mailing?.status ?? null;
}

/** @throws NotFoundError */
export async function mustExist(pool: Pool, mailingId: number): Promise<void> {
  if ((await statusOf(pool, mailingId)) === null) throw new NotFoundError();
}

/** How many are in the saved set; null where none was built. */
export async function savedCount(pool: Pool, mailingId: number): Promise<number | null> {
  const [mailing] = await withId(sqlOn(pool), { mailingId });
  return mailing?.saved_count ?? null;
}

/** At how many mails per second the last run of a mailing goes or went (null: as fast as it could), however that was changed since; null where there is no run. */
export async function frozenRate(pool: Pool, mailingId: number): Promise<{ rate: number | null } | null> {
  const [run] = await sqlOn(pool)<{ rate: number | null }>('select rate from send_run where mailing_id = $1', [mailingId]);
  return run ?? null;
}

/** Whether somebody has asked it to stop, and it has not stopped yet. */
export async function isStopping(pool: Pool, mailingId: number): Promise<boolean> {
  const [mailing] = await withId(sqlOn(pool), { mailingId });
  return mailing?.stop_requested ?? false;
}

/**
 * Holds a mailing against changes by others until the transaction ends. First, and apart: a statement that waited for the row reads what stands beside it, its subjects say,
 * as that was before the wait. Not against those who hold it for somebody in its set, whom they take away: they hold others so, and change them later.
 */
export async function holdMailing(sql: Sql, id: number): Promise<void> {
  await sql('select from core_mailing where id = $1 for no key update', [id]);
}
