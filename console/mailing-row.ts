import { SENT_SO_FAR } from '../core/mailings/counts.ts';
import type { Pool } from '../db/driver.ts';
import { timestampSql } from '../db/timestamp-sql.ts';
import type { MailingStatus, QueryStatus } from '../domain/words.ts';
import { type Html, html } from './html.ts';
import { count, people, templated, time } from './numbers.ts';
import { percent, progressBar, type Sent, settled } from './progress-bar.ts';
import { SET_WORDS, statusMark } from './status-words.ts';

/** A mailing as the list shows it. */
export interface ListedMailing extends Sent {
  id: number;
  /** The first subject. */
  subject: string;
  notes: string;
  status: MailingStatus;
  query_status: QueryStatus;
  saved_count: number | null;
  /** How many it goes or went to; as far as is known. */
  targeted: number;
  created_at: string;
  scheduled_for: string | null;
  started_at: string | null;
  finished_at: string | null;
}

const STAMPS = ['created_at', 'scheduled_for', 'started_at', 'finished_at'];

/** Mailings, the newest first. `statuses` null is all of them; `words` are a part of a subject or of the notes. */
export async function listMailings(
  pool: Pool,
  { statuses, words, limit, offset }: { statuses: readonly MailingStatus[] | null; words: string; limit: number; offset: number },
): Promise<ListedMailing[]> {
  const { rows } = await pool.query<ListedMailing>(
    `select m.id, coalesce((select text from core_mailingsubject s where s.mailing_id = m.id order by position limit 1), '') as subject, m.notes, m.status,
        m.query_status, m.saved_count, coalesce(m.expected_send_count, m.saved_count, 0) as targeted,
        ${STAMPS.map((stamp) => `${timestampSql(`m.${stamp}`)} as ${stamp}`).join(', ')}, sent.*
      from (
        select * from core_mailing m where not hidden and ($1::text[] is null or status = any($1))
          and ($2 = '' or strpos(lower(notes), lower($2)) > 0 or id::text = $2
            or exists (select from core_mailingsubject s where s.mailing_id = m.id and strpos(lower(s.text), lower($2)) > 0))
        order by id desc limit $3 offset $4) m, ${SENT_SO_FAR}
      order by m.id desc`,
    [statuses, words, limit, offset],
  );
  return rows;
}

/** One line of the list. */
export function mailingRow(mailing: ListedMailing): Html {
  const { id, subject, notes, status } = mailing;
  return html`<li><div class="what"><a href="/console/mailings/${id}/">${subject ? templated(subject) : 'Without a subject'}</a><small>${id}${notes ? ` · ${notes.slice(0, 120)}` : ''}</small></div>
<div>${statusMark(status)}</div><div class="far">${howFar(mailing)}</div><div class="when">${when(mailing)}</div></li>`;
}

function howFar(mailing: ListedMailing): Html {
  const { targeted, saved_count, query_status, started_at, accepted, uncertain, subject } = mailing;
  if (started_at === null) {
    const words = SET_WORDS[query_status];
    return html`<span>${saved_count === null ? '' : people(saved_count)}${words ? html` <small>${words}</small>` : ''}</span>`;
  }
  const doubt = uncertain ? html` <small class="doubt">${count(uncertain)} uncertain</small>` : '';
  // Once everybody is dealt with the bar says nothing that the numbers do not.
  if (settled(mailing) >= targeted) return html`<span>${count(accepted)} accepted${doubt}</span>`;
  return html`${progressBar(mailing, targeted, `Progress of ${subject}`)}<span>${percent(mailing, targeted)}% · ${count(accepted)} of ${count(targeted)}${doubt}</span>`;
}

function when({ status, scheduled_for, started_at, finished_at, created_at }: ListedMailing): Html {
  if (status === 'scheduled') return html`<small>for</small> ${time(scheduled_for)}`;
  if (finished_at) return html`<small>ended</small> ${time(finished_at)}`;
  if (started_at) return html`<small>since</small> ${time(started_at)}`;
  return html`<small>created</small> ${time(created_at)}`;
}
