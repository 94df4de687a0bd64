import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE, type MailingStatus } from '../../domain/words.ts';
import { SENT_SO_FAR } from './counts.ts';

/** A mailing that waits for a decision. */
export interface Waiting {
  id: number;
  /** The first subject. */
  subject: string;
  status: MailingStatus;
  errors: string[] | null;
  targeted: number;
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
}

/** So many are shown. */
export const MOST_SHOWN = 20;

/**
 * Mailings somebody has to decide about, those last changed first: that died or were stopped, that were put back to draft with a reason, whose schedule has no audience, and that were sent
 * but for people of whom nobody knows whether they got it. A stopped one with nobody left waits for nobody.
 * @returns one more than MOST_SHOWN where there are more
 */
export function needsSomebody(sql: Sql): Promise<Waiting[]> {
  return sql<Waiting>(
    `select m.id, coalesce((select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1), '') as subject, m.status, m.errors,
       coalesce(m.expected_send_count, m.saved_count, 0) as targeted, sent.accepted, sent.failed, sent.skipped, sent.uncertain
     from (
       select * from core_mailing m where not hidden and (
         status = 'died' or status = 'draft' and errors is not null
         or status = 'scheduled' and not rebuild_query_at_send and query_status <> 'saved'
         or status = 'stopped' and expected_send_count > (
           select coalesce(sum(accepted + failed + skipped + uncertain), 0) from send_shard s where s.mailing_id = m.id)
         or status in ('stopped', 'completed') and exists (select from send_exception e where e.mailing_id = m.id and e.state = ${LEDGER_STATE.uncertain})
         or status = 'stopped' and exists (select from send_shard s where s.mailing_id = m.id and not finished and uncertain > 0))
       order by updated_at desc, id desc limit ${MOST_SHOWN + 1}) m, ${SENT_SO_FAR}
     order by m.updated_at desc, m.id desc`,
  );
}

/** What came of a mailing so far, and whether it is to be tracked. */
export interface Opened extends Record<'opens' | 'clicks' | 'raw_opens' | 'raw_clicks', number> {
  track_opens: boolean;
  track_clicks: boolean;
}

/** Of mailings, how many people opened and clicked: as the results say. */
export async function readOpened(sql: Sql, mailingIds: number[]): Promise<Map<number, Opened>> {
  const sums = ['opens', 'clicks', 'raw_opens', 'raw_clicks'].map((name) => `coalesce(sum(t.${name}), 0)::int as ${name}`);
  const rows = await sql<Opened & { mailing_id: number }>(
    `select m.id as mailing_id, m.track_opens, m.track_clicks, ${sums.join(', ')}
     from core_mailing m left join core_trackedtotal t on t.mailing_id = m.id where m.id = any($1::int[]) group by m.id`,
    [mailingIds],
  );
  return new Map(rows.map(({ mailing_id: id, ...opened }) => [id, opened]));
}
