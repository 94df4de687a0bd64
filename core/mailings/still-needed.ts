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

/**
 * The same of a snippet, which is found by its name, in whatever other snippet or wrapper.
 * @param field what is to be changed
 */
export async function refuseIncluded(sql: Sql, name: string, field: 'id' | 'name'): Promise<void> {
  const waiting = tables.selectFrom('core_mailing').where('status', 'in', STOPPABLE);
  for (const { id } of await run(sql, waiting.orderBy('id').select('id'))) {
    const { content } = await readContent(queryable(sql), id, '');
    if (Object.hasOwn(content.snippets ?? {}, name)) throw new InputError({ [field]: `Mailing ${id} includes this snippet.` });
  }
}
