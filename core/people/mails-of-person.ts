import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { BounceKind, MailingStatus, TransactionalStatus } from '../../domain/words.ts';
import { ofUser } from '../sending/of-user.ts';
import type { Before } from './person-record.ts';

/** A mailing's mail to a person, and what became of it. */
export interface PersonMail {
  mailing_id: number;
  /** Of the mailing. */
  status: MailingStatus;
  subject: string;
  /** By the number of LEDGER_STATE. */
  state: number;
  detail: string;
  opens: number;
  clicks: number;
  bounce: BounceKind | null;
  changed_at: string | null;
}

/** The mailings a person was or is to be mailed, the newest first; `before` is the id of a mailing. */
export const mailsOf = (sql: Sql, userId: number, { before, limit }: Before): Promise<PersonMail[]> =>
  // Subjects are dealt out by position, as they were when the mail was made.
  sql<PersonMail>(
    `select l.mailing_id, m.status, coalesce(s.texts[1 + l.position % cardinality(s.texts)], '') as subject, l.state, coalesce(l.detail, '') as detail,
       coalesce(t.opens, 0) as opens, coalesce(t.clicks, 0) as clicks, b.kind as bounce, ${timestampSql('l.changed_at')} as changed_at
     from (select * from send_record r where ${ofUser('r', '$1')} and ($2::bigint is null or r.mailing_id < $2) order by r.mailing_id desc limit $3) l join core_mailing m on m.id = l.mailing_id
       left join lateral (select array_agg(text order by position) as texts from core_mailingsubject where mailing_id = l.mailing_id) s on true
       left join core_trackedrecipient t on t.mailing_id = l.mailing_id and t.user_id = $1
       left join lateral (select kind from core_bounce where user_id = $1 and mailing_id = l.mailing_id order by id desc limit 1) b on true
     order by l.mailing_id desc`,
    [userId, before, limit],
  );

/** A mail to a person because of something they did. */
export interface Confirmation {
  id: number;
  subject: string;
  status: TransactionalStatus;
  detail: string;
  created_at: string;
}

export const confirmationsOf = (sql: Sql, userId: number, limit: number): Promise<Confirmation[]> =>
  sql<Confirmation>(
    `select id, subject, status, detail, ${timestampSql('created_at')} as created_at
     from core_transactionalmailing where user_id = $1 order by id desc limit $2`,
    [userId, limit],
  );
