import type { PoolClient } from '../../db/driver.ts';
import type { FrozenRun } from './content.ts';

/**
 * Before a mailing goes on: what was sent until now is kept where that is something else, since mails on the web say what the mail said. Its row is held: an erasure that is taking
 * somebody out of it is waited for, or finds what was kept.
 */
export async function keepEarlierRun(db: PoolClient, mailingId: number, next: FrozenRun): Promise<void> {
  await db.query(
    `insert into send_earlier_run (mailing_id, ended_at, content)
     select mailing_id, now(), content from send_run where mailing_id = $1 and content <> $2::jsonb
       and exists (select from send_shard where mailing_id = $1 and accepted + uncertain > 0) for update`,
    [mailingId, JSON.stringify(next)],
  );
}

/** SQL: what was frozen when the mail of `record` was sent, of the run `run`. The record has seconds, and who has just been sent to has no time yet. */
export const contentSent = (run: string, record: string): string => `coalesce((
  select content from send_earlier_run e where e.mailing_id = ${run}.mailing_id and date_trunc('second', e.ended_at) > ${record}.changed_at
  order by e.ended_at limit 1), ${run}.content)`;
