import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';
import { run, tables } from '../../entities/tables.ts';
import { readContent } from '../sending/content.ts';
import { queryable } from './check-content.ts';

// A mailing that is to go out by itself dies at its time without what it needs, or goes out otherwise than was meant, and nobody is there to see it: who takes
// that away is told which mailing it is.

const PARTS = {
  fromline_id: 'goes out from this from line',
  lang_id: 'goes out in this language',
  landing_page_id: 'has this page as its landing page',
};

/** @throws InputError naming a mailing that is still to go out and refers to it */
export async function refuseNeeded(sql: Sql, part: keyof typeof PARTS, id: number): Promise<void> {
  let used = tables.selectFrom('core_mailing').where('status', 'in', STOPPABLE).where(part, '=', id);
  // With one of its own it has no use for the other.
  if (part === 'fromline_id') used = used.where('custom_fromline', '=', '');
  const [mailing] = await run(sql, used.orderBy('id').limit(1).select('id'));
  if (mailing) throw new InputError({ id: `Mailing ${mailing.id} ${PARTS[part]}.` });
}

/** The same of a wrapper: of mailings that name it, and of those that name none and go out in the default one. */
export async function refuseWrapped(sql: Sql, wrapperId: number): Promise<void> {
  const [mailing] = await sql<{ id: number }>(
    `select m.id from core_mailing m where m.status = any($2::text[]) and coalesce(m.emailwrapper_id,
       (select id from core_emailwrapper where is_default order by id limit 1)) = $1 order by m.id limit 1`,
    [wrapperId, STOPPABLE],
  );
  if (mailing) throw new InputError({ id: `Mailing ${mailing.id} goes out in this wrapper.` });
}

/**
 * The same of a snippet, which is found by its name, in whatever other snippet or wrapper.
 * @param field what is to be changed
 */
export async function refuseIncluded(sql: Sql, name: string, field: 'id' | 'name'): Promise<void> {
  // Content may be megabytes, and thousands may wait: only that of mailings in whose parts the name stands is read, or of all where it stands in what parts include.
  const naming = await sql<{ id: number }>(
    `select m.id from core_mailing m left join core_emailwrapper w on w.id = coalesce(m.emailwrapper_id,
       (select id from core_emailwrapper where is_default order by id limit 1))
     where m.status = any($2::text[]) and (position($1 in concat(m.html, m.text, w.template, w.text_template, w.unsubscribe_text, w.unsubscribe_html)) > 0
       or exists (select from core_mailingsubject j where j.mailing_id = m.id and position($1 in concat(j.text, j.preview_text)) > 0)
       or exists (select from core_snippet s where s.name <> $1 and position($1 in concat(s.html, s.text)) > 0)) order by m.id`,
    [name, STOPPABLE],
  );
  for (const { id } of naming) {
    const { content } = await readContent(queryable(sql), id, '');
    if (Object.hasOwn(content.snippets ?? {}, name)) throw new InputError({ [field]: `Mailing ${id} includes this snippet.` });
  }
}
