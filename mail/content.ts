import type pg from 'pg';
import type { MailingContent } from './contracts.ts';

/** What `send_run.content` holds: the mails' content and the lists somebody must be on to get one. */
export interface FrozenRun {
  content: MailingContent;
  /** Ids of the lists that includes names; null when any list will do. */
  lists: number[] | null;
}

/** The content of a mailing as it stands now. */
export async function readContent(db: pg.Pool | pg.PoolClient, mailingId: number, defaultFrom: string): Promise<FrozenRun> {
  const { rows } = await db.query(
    `select m.html, m.text, m.reply_to, m.fields, m.includes, m.custom_fromline, m.landing_page_id, f.from_line, l.iso_code, w.template, w.text_template,
        w.unsubscribe_text, w.unsubscribe_html,
        (select jsonb_build_object('id', x.id, 'columns', x.columns) from core_mergefile x where x.id = m.mergefile_id) as mergefile,
        (select coalesce(array_agg(s.text order by s.position), '{}') from core_mailingsubject s where s.mailing_id = m.id) as subjects,
        (select coalesce(array_agg(s.preview_text order by s.position), '{}') from core_mailingsubject s where s.mailing_id = m.id) as preview_texts
      from core_mailing m
        left join core_fromline f on f.id = m.fromline_id
        left join core_language l on l.id = m.lang_id
        left join lateral (
          select * from core_emailwrapper where id = m.emailwrapper_id or (m.emailwrapper_id is null and is_default)
          order by id = m.emailwrapper_id desc nulls last, id limit 1) w on true
      where m.id = $1`,
    [mailingId],
  );
  const row = rows[0];
  const lists: number[] | undefined = row.includes.lists;
  return {
    lists: lists?.length ? lists : null,
    content: {
      mailingId,
      subjects: row.subjects,
      previewTexts: given(row.preview_texts),
      html: row.html,
      text: row.text,
      from: row.custom_fromline || row.from_line || defaultFrom,
      replyTo: row.reply_to,
      wrapper: row.template || row.text_template ? wrapperOf(row) : null,
      fields: Object.fromEntries(row.fields.map((field: { name: string; value: string }) => [field.name, field.value])),
      mergefile: row.mergefile,
      landingPage: row.landing_page_id,
      language: row.iso_code ?? '',
      pretendDate: null,
    },
  };
}

/** Those not given are stored empty, at the end: the last one given stands for them. */
const given = (texts: string[]) => texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);

const wrapperOf = (row: Record<string, string>) => ({
  template: row.template ?? '',
  textTemplate: row.text_template ?? '',
  unsubscribeText: row.unsubscribe_text ?? '',
  unsubscribeHtml: row.unsubscribe_html ?? '',
});
