import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';

const PARTS = { email_from_line_id: 'from this from line', email_wrapper_id: 'in this wrapper' };

/**
 * What a page sends its confirmations in is not taken away from it: they would go on in another way, and nobody would be told. Who begins to just now is waited for.
 * @throws InputError naming such a page
 */
export async function refuseConfirming(sql: Sql, part: keyof typeof PARTS, id: number): Promise<void> {
  const naming = tables.selectFrom('core_pagefollowup').where(part, '=', id);
  await run(sql, naming.orderBy('id').select('id').forNoKeyUpdate());
  let used = tables
    .selectFrom('core_pagefollowup as f')
    .innerJoin('core_page as p', 'p.id', 'f.page_id')
    .where(`f.${part}`, '=', id)
    .where('f.send_email', '=', true);
  // With one of its own it has no use for the other.
  if (part === 'email_from_line_id') used = used.where('f.email_custom_from', '=', '');
  const [page] = await run(sql, used.orderBy('p.id').limit(1).select('p.name'));
  if (page) throw new InputError({ id: `Page ${page.name} sends its confirmations ${PARTS[part]}.` });
}
