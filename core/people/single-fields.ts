import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { heldBy, tooMuch } from '../../domain/people/field-room.ts';
import { NOW, run, tables } from '../../entities/tables.ts';
import { canBeName, type FieldTable, heldOf, readCustomFields } from './custom-fields.ts';
import { refuseErased, refuseErasedBy } from './erased.ts';
import { bothInOrder, holdPerson } from './hold-person.ts';

const PARENTS = { core_userfield: 'core_user', core_actionfield: 'core_action' } as const;

/** One value of a custom field of the user or action with the id `parent`. */
export interface SingleField {
  parent: number;
  name: string;
  value: string;
}

/**
 * Before a value of a custom field is written by itself: its parent is held and counts as changed, and what bounds the fields of one form bounds it, too. Who was erased is given none.
 * @param declared whether a name of a user field nobody declared becomes declared by its use; otherwise it is refused
 * @throws InputError
 */
export async function allowField(
  sql: Sql,
  table: FieldTable,
  { id, parent, name, value }: SingleField & { id: number },
  declared: boolean,
): Promise<void> {
  if (!canBeName(name)) throw new InputError({ name: 'name cannot be that of a custom field.' });
  readCustomFields({ [name]: value }, 'value');
  if (table === 'core_actionfield') await holdPerson(sql, 'core_action', parent);
  await touchParent(sql, table, parent);
  const { replaced, others } = await heldOf(sql, table, parent, { id });
  const wrong = tooMuch(heldBy([[name, [value]]]), replaced, others);
  if (wrong !== null) throw new InputError({ parent: `It has ${wrong}.` });
  if (table === 'core_actionfield') return refuseErasedAction(sql, parent, 'parent');
  await refuseErased(sql, parent, 'parent');
  if (declared)
    await run(
      sql,
      tables
        .insertInto('core_alloweduserfield')
        .values({ name })
        .onConflict((taken) => taken.doNothing()),
    );
  else if ((await run(sql, tables.selectFrom('core_alloweduserfield').where('name', '=', name).select('id'))).length === 0) {
    throw new InputError({ name: `No custom user field is declared as ${name}.` });
  }
}

/** After something was written into the fields of an action that is held. @throws InputError where an erasure took them */
export async function refuseErasedAction(sql: Sql, actionId: number, field: string): Promise<void> {
  const [action] = await run(sql, tables.selectFrom('core_action').where('id', '=', actionId).select('user_id'));
  if (action) await refuseErasedBy(sql, 'action_fields', action.user_id, field);
}

/** The user or action a value belongs to has changed with it. */
export async function touchParent(sql: Sql, table: FieldTable, parentId: number): Promise<void> {
  await run(sql, tables.updateTable(PARENTS[table]).set({ updated_at: NOW }).where('id', '=', parentId));
}

/**
 * Before a value is held that is changed or deleted by itself: the user, or the action and whose that is.
 * @param next the parent it is given, which is held as well
 */
export async function holdParent(sql: Sql, table: FieldTable, id: number, next?: number): Promise<void> {
  if (table === 'core_userfield') return holdPerson(sql, table, id, { as: 'no key update', next });
  const [field] = await run(sql, tables.selectFrom(table).where('id', '=', id).select('parent_id as action'));
  if (!field) return;
  const actions = bothInOrder(field.action, next);
  for (const action of actions) await holdPerson(sql, 'core_action', action);
  await run(sql, tables.selectFrom('core_action').where('id', 'in', actions).orderBy('id').select('id').forNoKeyUpdate());
}

export const touchUser = (sql: Sql, userId: number): Promise<void> => touchParent(sql, 'core_userfield', userId);

/** The value as it is stored. */
export async function fieldAt(sql: Sql, table: FieldTable, id: number): Promise<SingleField> {
  const [row] = await run(sql, tables.selectFrom(table).where('id', '=', id).select(['parent_id as parent', 'name', 'value']));
  return row!;
}

/** What a client said of where a user lives, as it is stored. */
export async function geoFieldAt(sql: Sql, id: number): Promise<Record<string, unknown> | null> {
  const [row] = await run(sql, tables.selectFrom('core_usergeofield').where('id', '=', id).select(['user_id as user', 'name', 'value']));
  return row ?? null;
}

/** Names of custom fields people may have, by name. */
export async function declaredFields(sql: Sql, most: number): Promise<string[]> {
  const fields = tables.selectFrom('core_alloweduserfield').where('hidden', '=', false).select('name').orderBy('name').limit(most);
  return (await run(sql, fields)).map(({ name }) => name);
}
