import type { Sql } from '../../db/sql.ts';

type Table = 'core_fromline' | 'core_emailwrapper';

/** Before a row of these is held: holds the table as its change or its DELETE does, lest that and whoever makes another the default wait for each other. */
export async function holdBeforeDefault(sql: Sql, table: Table, becomesDefault: boolean): Promise<void> {
  await sql(`lock table ${table} in ${becomesDefault ? 'share row exclusive' : 'row exclusive'} mode`);
}

/**
 * From lines and wrappers have one default each: who makes another the default takes that from the one that was. Two at the same moment go one after the other.
 * @param id of the one that becomes it; 0 before it is made
 */
export async function endOtherDefaults(sql: Sql, table: Table, id: number): Promise<void> {
  await sql(`lock table ${table} in share row exclusive mode`);
  await sql(`update ${table} set is_default = false, updated_at = now() where is_default and id <> $1`, [id]);
}
