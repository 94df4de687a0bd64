import { parametersOf } from '../../domain/reports/written.ts';
import type { MailingContent, Snippet } from '../../mail/contracts.ts';
import { inReach } from '../../template/budget.ts';
import { mentionsOf } from '../../template/mentions.ts';
import { subjectTextsSql } from '../mailings/shown.ts';

/** A pool, a client, or a transaction of whatever kind. */
export interface Queryable {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any shape
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/** What `send_run.content` holds: the mails' content and the lists somebody must be on to get one. */
export interface FrozenRun {
  content: MailingContent;
  /** Ids of the lists that includes names; null when any list will do. */
  lists: number[] | null;
  /** What is recorded of what becomes of its mails. Absent in runs frozen before there was a choice: all of it. */
  tracking?: { opens: boolean; clicks: boolean };
  /** Ids of the keys that sign its mails; absent in runs begun before there were any. */
  dkim?: number[];
}

/** The content of a mailing as it stands now. */
export async function readContent(db: Queryable, mailingId: number, defaultFrom: string): Promise<FrozenRun> {
  const { rows } = await db.query(
    `select m.html, m.text, m.reply_to, m.fields, m.includes, m.custom_fromline, m.landing_page_id, m.track_opens, m.track_clicks, f.from_line, l.iso_code, w.template, w.text_template,
        w.unsubscribe_text, w.unsubscribe_html,
        (select jsonb_build_object('id', x.id, 'columns', x.columns) from core_mergefile x where x.id = m.mergefile_id) as mergefile,
        ${subjectTextsSql('text', 'm.id')} as subjects, ${subjectTextsSql('preview_text', 'm.id')} as preview_texts
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
  const wrapper = row.template || row.text_template ? wrapperOf(row) : null;
  const previewTexts = given(row.preview_texts);
  const mentioned = await readMentioned(db, [row.html, row.text, ...row.subjects, ...previewTexts, ...Object.values(wrapper ?? {})]);
  return {
    lists: lists?.length ? lists : null,
    tracking: { opens: row.track_opens, clicks: row.track_clicks },
    content: {
      mailingId,
      subjects: row.subjects,
      previewTexts,
      html: row.html,
      // White space, which forms and editors leave behind, is no text version: one is made of the HTML.
      text: row.text.trim() && row.text,
      from: row.custom_fromline || row.from_line || defaultFrom,
      replyTo: row.reply_to,
      wrapper,
      fields: Object.fromEntries(row.fields.map((field: { name: string; value: string }) => [field.name, field.value])),
      mergefile: row.mergefile,
      landingPage: row.landing_page_id,
      language: row.iso_code ?? '',
      pretendDate: null,
      ...mentioned,
    },
  };
}

/** What is read at most for one mailing; more cannot be compiled anyway. */
const MOST_SNIPPETS = 1000;

/**
 * The snippets that templates include, and those these include in turn, and the reports that any of them shows, without their rows. What does not exist
 * is left out.
 */
export async function readMentioned(db: Queryable, sources: string[]): Promise<Required<Pick<MailingContent, 'snippets' | 'reports'>>> {
  const snippets: Record<string, Snippet> = {};
  const all = sources.map(inReach);
  const asked = new Set<string>();
  for (let next = [...all]; next.length && asked.size < MOST_SNIPPETS; ) {
    const names = [...new Set(next.flatMap((source) => mentionsOf('include', source)))].filter((name) => !asked.has(name));
    for (const name of names) asked.add(name);
    const { rows } = names.length
      ? await db.query('select name, html, text from core_snippet where name = any($1::text[])', [names])
      : { rows: [] };
    for (const { name, html, text } of rows) Object.defineProperty(snippets, name, { value: { html, text }, enumerable: true });
    next = rows.flatMap(({ html, text }) => [html, text] as string[]);
    all.push(...next);
  }
  const shown = [...new Set(all.flatMap((source) => mentionsOf('report', source)))];
  const { rows } = shown.length
    ? await db.query('select short_name, sql, dialect from reports_queryreport where short_name = any($1::text[])', [shown])
    : { rows: [] };
  const reports = Object.fromEntries(
    rows.map(({ short_name, sql, dialect }) => [short_name as string, { parameters: parametersOf({ sql, dialect }), runs: {} }]),
  );
  return { snippets, reports };
}

/** Those not given are stored empty, at the end: the last one given stands for them. */
const given = (texts: string[]) => texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);

const wrapperOf = (row: Record<string, string>) => ({
  template: row.template ?? '',
  textTemplate: row.text_template ?? '',
  unsubscribeText: row.unsubscribe_text ?? '',
  unsubscribeHtml: row.unsubscribe_html ?? '',
});
