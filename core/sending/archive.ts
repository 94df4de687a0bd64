import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

/** 2020-01-01 in seconds since 1970: 31 bits last until 2088. The view has it, too. */
const EPOCH = 1_577_836_800;

/** Rows that move between ledger and archive must not change hands meanwhile: movers hold this lock alone, merges and deletions share it. */
const LOCK = 7_236_900_171;

/** Until the end of the transaction, no row moves to the archive. */
export async function holdArchive(sql: Sql): Promise<void> {
  await sql('select pg_advisory_xact_lock_shared($1::bigint)', [LOCK]);
}

/**
 * Moves the accepted rows of a completed mailing from the ledger to the archive, those at positions above `from` up to `to`, in one transaction. What has a
 * detail stays where the detail is.
 * @returns how many
 */
export async function archiveRows(sql: Sql, mailingId: number, from: number, to: number): Promise<number> {
  await sql('select pg_advisory_xact_lock($1::bigint)', [LOCK]);
  const [sum] = await sql<{ moved: number }>(
    `with moved as (
        delete from send_ledger where mailing_id = $1 and position > $2 and position <= $3 and state = ${LEDGER_STATE.accepted} and detail is null
        returning user_id, mailing_id, position, changed_at),
      kept as (
        insert into send_archive (user_id, mailing_id, position, sent_second)
          select user_id, mailing_id, position, floor(extract(epoch from coalesce(changed_at, now()))) - ${EPOCH} from moved order by user_id
        returning 1)
      select count(*)::int as moved from kept`,
    [mailingId, from, to],
  );
  return sum?.moved ?? 0;
}

/** Takes the rows of users back into the ledger, where the rules of a merge are; later they are moved again. */
export async function returnFromArchive(sql: Sql, userIds: number[]): Promise<void> {
  await holdArchive(sql);
  await sql(
    `with taken as (delete from send_archive where user_id = any($1::int[]) returning *),
      back as (
        insert into send_ledger (mailing_id, position, user_id, state, changed_at)
          select mailing_id, position, user_id, ${LEDGER_STATE.accepted}, to_timestamp(${EPOCH} + sent_second::float8) from taken)
      update send_run set compacted_at = null where mailing_id in (select mailing_id from taken)`,
    [userIds],
  );
}
