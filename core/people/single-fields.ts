import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { MOST_OF_A_PERSON, readCustomFields } from './custom-fields.ts';

const PARENTS = { core_userfield: 'core_user', core_actionfield: 'core_action' } as const;
export type FieldTable = keyof typeof PARENTS;

/**
 * Before a value of a custom field is written by itself: its parent is held and counts as changed, and what bounds the fields of one form bounds it, too.
 * @param declared whether a name of a user field nobody declared becomes declared by its use; otherwise it is refused
 * @throws InputError
 */
export async function allowField(
  sql: Sql,
  table: FieldTable,
  { id, parentId, name, value }: { id: number; parentId: number; name: string; value: string },
  declared: boolean,
): Promise<void> {
  readCustomFields({ [name]: value }, 'value');
  await touchParent(sql, table, parentId);
  const [others] = await sql<{ count: number }>(`select count(*)::int as count from ${table} where parent_id = $1 and id <> $2`, [
    parentId,
    id,
  ]);
  if (others!.count >= MOST_OF_A_PERSON) throw new InputError({ parent: `There are ${MOST_OF_A_PERSON} values of custom fields already.` });
  if (table !== 'core_userfield') return;
  if (declared) await sql('insert into core_alloweduserfield (name) values ($1) on conflict do nothing', [name]);
  else if ((await sql('select 1 from core_alloweduserfield where name = $1', [name])).length === 0) {
    throw new InputError({ name: `No custom user field is declared as ${name}.` });
  }
}

/** The user or action a value belongs to has changed with it. */
export async function touchParent(sql: Sql, table: FieldTable, parentId: number): Promise<void> {
  await sql(`update ${PARENTS[table]} set updated_at = now() where id = $1`, [parentId]);
}

/** The value as it is stored. */
export async function fieldAt(sql: Sql, table: FieldTable, id: number): Promise<{ parentId: number; name: string; value: string }> {
  const [row] = await sql<{ parent_id: number; name: string; value: string }>(`select parent_id, name, value from ${table} where id = $1`, [
    id,
  ]);
  return { parentId: row!.parent_id, name: row!.name, value: row!.value };
}
