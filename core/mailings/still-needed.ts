import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';
import { run, tables } from '../../entities/tables.ts';
import type { MailingContent } from '../../mail/contracts.ts';
import { readContent } from '../sending/content.ts';
import { PARTS_LOCK, queryable } from './check-content.ts';
import { mailingsMentioning } from './mentioning.ts';

// A mailing that is to go out by itself dies at its time without what it needs, or goes out otherwise than was meant, and nobody is there to see it: who takes
// that away is told which mailing it is.

const PARTS = {
  fromline_id: 'goes out from this from line',
  lang_id: 'goes out in this language',
  landing_page_id: 'has this page as its landing page',
};

/** Who queues a mailing holds its row: where that is under way it is waited for, and seen then. */
async function holdReferring(sql: Sql, part: keyof typeof PARTS | 'emailwrapper_id', id: number): Promise<void> {
  const referring = tables.selectFrom('core_mailing').where(part, '=', id).where('status', '<>', 'completed');
  await run(sql, referring.orderBy('id').select('id').forNoKeyUpdate());
}

/** What goes out without naming the part by its number is waited for in this way. */
const waitForUsers = (sql: Sql): Promise<unknown> => sql(`select pg_advisory_xact_lock(${PARTS_LOCK})`);

/** @throws InputError naming a mailing that is still to go out and refers to it */
export async function refuseNeeded(sql: Sql, part: keyof typeof PARTS, id: number): Promise<void> {
  await holdReferring(sql, part, id);
  let used = tables.selectFrom('core_mailing').where('status', 'in', STOPPABLE).where(part, '=', id);
  // With one of its own it has no use for the other.
  if (part === 'fromline_id') used = used.where('custom_fromline', '=', '');
  const [mailing] = await run(sql, used.orderBy('id').limit(1).select('id'));
  if (mailing) throw new InputError({ id: `Mailing ${mailing.id} ${PARTS[part]}.` });
}

/** The same of a wrapper: of mailings that name it, and of those that name none and go out in the default one. */
export async function refuseWrapped(sql: Sql, wrapperId: number): Promise<void> {
  await holdReferring(sql, 'emailwrapper_id', wrapperId);
  await waitForUsers(sql);
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
  await waitForUsers(sql);
  const including = await firstNaming(sql, 'include', name, ({ snippets }) => snippets);
  if (including !== null) throw new InputError({ [field]: `Mailing ${including} includes this snippet.` });
}

/** The same of a saved report: of mailings that show it, and of those whose audience is built once more before they go out. */
export async function refuseReported(sql: Sql, name: string, field: 'id' | 'short_name'): Promise<void> {
  await waitForUsers(sql);
  const [asking] = await sql<{ id: number }>(
    `select id from core_mailing where status = any($2::text[]) and (status = 'recurring' or started_at is null and rebuild_query_at_send)
       and (includes @> $1::jsonb or excludes @> $1::jsonb) order by id limit 1`,
    [JSON.stringify({ query_reports: [{ short_name: name }] }), STOPPABLE],
  );
  if (asking) throw new InputError({ [field]: `Mailing ${asking.id} asks this report who is meant.` });
  const showing = await firstNaming(sql, 'report', name, ({ reports }) => reports);
  if (showing !== null) throw new InputError({ [field]: `Mailing ${showing} shows this report.` });
}

/** @returns the first mailing that is still to go out in whose content it is */
async function firstNaming(
  sql: Sql,
  tag: 'include' | 'report',
  name: string,
  among: (content: MailingContent) => object | undefined,
): Promise<number | null> {
  for (const id of await mailingsMentioning(sql, tag, name)) {
    const { content } = await readContent(queryable(sql), id, '');
    if (Object.hasOwn(among(content) ?? {}, name)) return id;
  }
  return null;
}
