/** A mail to one person about a mailing, written and not yet started. */
export interface WrittenNotice {
  id: number;
  mailing_id: number;
}

/**
 * Stands behind `with ended as (update core_mailing … returning *)`: tells the submitter, in the same statement, how the mailing ended. Its rows are the
 * notices.
 */
export const TELL_SUBMITTER = `
  insert into core_mailingnotice (mailing_id, kind, account_id, reasons)
    select id, case status when 'draft' then 'not_sent' else status end, submitter_id, coalesce(errors, '[]') from ended
    where submitter_id is not null and (status in ('completed', 'stopped', 'died') or (status = 'draft' and errors is not null))
  returning id, mailing_id`;
