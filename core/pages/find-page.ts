import type { Sql } from '../../db/sql.ts';
import type { PageType } from '../../domain/words.ts';
import { statement, tables } from '../../entities/tables.ts';

const ofType = statement(({ id, type }: { id: number; type: PageType }) =>
  tables.selectFrom('core_page').where('id', '=', id).where('type', '=', type).select('id'),
);

const shown = statement(({ name }: { name: string }) =>
  tables.selectFrom('core_page').where('name', '=', name).where('status', '=', 'active').where('hidden', '=', false).select('id'),
);

export async function isPageOfType(sql: Sql, id: number, type: PageType): Promise<boolean> {
  return (await ofType(sql, { id, type })).length > 0;
}

/** Whether people may see the page of this name. */
export async function isShownPage(sql: Sql, name: string): Promise<boolean> {
  if (name.includes('\0')) return false;
  return (await shown(sql, { name })).length > 0;
}
