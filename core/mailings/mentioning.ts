import type { Sql } from '../../db/sql.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';

// Thousands of mailings may wait, each with some kilobytes, while whoever queues one waits for whoever asks this: they are not read one by one.

/** What follows `{%`, up to its first quoted name, in double or in single quotes. */
const TAG = String.raw`^[^"'%]*\m(include|report)\M[^"'%]*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')`;
const ESCAPED = String.raw`\\(["'\\])`;
/** Ends on the line it begins on. */
const NOTE = String.raw`\{#.*?#\}`;

const quoted = (pattern: string): string => `'${pattern.replaceAll("'", "''")}'`;

/** A table of the snippets and reports that templates mention, as template/mentions.ts reads them, and a few more: it knows of no end of a tag. */
function mentionsIn(...templates: string[]): string {
  return `(
    select found[1] as tag, regexp_replace(coalesce(found[2], found[3]), ${quoted(ESCAPED)}, '\\1', 'g') as named
    from (select concat_ws(chr(10), ${templates.join(', ')}) as source) s
      cross join unnest(string_to_array(case when position('{#' in source) > 0 then regexp_replace(source, ${quoted(NOTE)}, '', 'gn') else source end, '{%')) piece
      cross join regexp_match(piece, ${quoted(TAG)}) found)`;
}

const MENTIONING = `
  with recursive said as materialized (
    select s.name, x.* from core_snippet s cross join lateral ${mentionsIn('s.html', 's.text')} x
  ), naming (tag, named) as (
    select $1::text, $2::text union select 'include', name from naming join said using (tag, named)
  ), wrapping as materialized (
    select w.id from core_emailwrapper w
    where exists (select from ${mentionsIn('w.template', 'w.text_template', 'w.unsubscribe_text', 'w.unsubscribe_html')} x join naming using (tag, named))
  )
  select m.id from core_mailing m where m.status = any($3::text[]) and (
    coalesce(m.emailwrapper_id, (select id from core_emailwrapper where is_default order by id limit 1)) in (select id from wrapping)
    or exists (select from ${mentionsIn('m.html', 'm.text')} x join naming using (tag, named))
    or exists (select from core_mailingsubject j cross join lateral ${mentionsIn('j.text', 'j.preview_text')} x join naming using (tag, named)
      where j.mailing_id = m.id))
  order by m.id`;

/** The mailings that are still to go out in which a snippet or a report seems to be mentioned, be it by what they include. */
export async function mailingsMentioning(sql: Sql, tag: 'include' | 'report', name: string): Promise<number[]> {
  const rows = await sql<{ id: number }>(MENTIONING, [tag, name, STOPPABLE]);
  return rows.map(({ id }) => id);
}
