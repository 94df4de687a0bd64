import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ofUser } from './of-user.ts';

export interface SentMail {
  user_id: number;
  mailing_id: number;
  created_at: string;
  subject: string;
}

/** What mails are asked for by. */
export interface OfWhom {
  user?: number;
  mailing?: number;
}

/**
 * A page of the mails the relay took, and how many there are. Indexes answer both filters; without one
 * the whole record is counted, which takes its time once there are millions.
 */
export async function sentMails(
  pool: Pool,
  { user, mailing }: OfWhom,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ mails: SentMail[]; total: number }> {
  const values: number[] = [];
  const conditions = [`l.state = ${LEDGER_STATE.accepted}`];
  if (user !== undefined) conditions.push(ofUser('l', `$${values.push(user)}`));
  if (mailing !== undefined) conditions.push(`l.mailing_id = $${values.push(mailing)}`);
  const where = conditions.join(' and ');
  // Subjects are dealt out by position, as they were when the mail was made.
  const { rows } = await pool.query<SentMail>(
    `select l.user_id, l.mailing_id, ${timestampSql('l.changed_at')} as created_at, coalesce(s.text, '') as subject
       from (select * from send_record l where ${where} order by l.mailing_id, l.position
         limit $${values.length + 1} offset $${values.length + 2}) l
       left join lateral (select array_agg(m.text order by m.position) as texts from core_mailingsubject m
         where m.mailing_id = l.mailing_id) m on true
       left join lateral (select m.texts[1 + l.position % cardinality(m.texts)] as text) s on true
       order by l.mailing_id, l.position`,
    [...values, limit, offset],
  );
  const counted = await pool.query<{ count: string }>(`select count(*) from send_record l where ${where}`, values);
  return { mails: rows, total: Number(counted.rows[0]!.count) };
}
