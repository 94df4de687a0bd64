import type { Sql } from '../../db/sql.ts';
import type { PageType } from '../../domain/words.ts';

export async function isPageOfType(sql: Sql, id: number, type: PageType): Promise<boolean> {
  return (await sql('select 1 from core_page where id = $1 and type = $2', [id, type])).length > 0;
}

/** Whether people may see the page of this name. */
export async function isShownPage(sql: Sql, name: string): Promise<boolean> {
  if (name.includes('\0')) return false;
  return (await sql(`select 1 from core_page where name = $1 and status = 'active' and not hidden`, [name])).length > 0;
}
