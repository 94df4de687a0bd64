import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { statement, tables } from '../../entities/tables.ts';
import { PERSON_COLUMNS } from '../people/belongings.ts';
import { refuseErased } from '../people/erased.ts';
import type { Given } from './changed-money.ts';

const detailOf = statement(({ id }: { id: number }) =>
  tables
    .selectFrom('core_orderuserdetail')
    .where('id', '=', id)
    .select(['user_id', ...PERSON_COLUMNS]),
);

const propertyOf = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Before name and address given with an order are changed: of who was erased nothing comes back. What stands there can be sent again, and taken away. The row
 * is held, which an erasure that clears it waits for, or was done before.
 * @throws InputError by field
 */
export async function checkDetail(sql: Sql, id: number, given: Given): Promise<void> {
  const [stored] = await detailOf(sql, { id });
  if (!stored) throw new NotFoundError();
  const came = PERSON_COLUMNS.find((column) => {
    const value = given[propertyOf(column)];
    return value !== undefined && value !== '' && value !== stored[column];
  });
  if (came) await refuseErased(sql, stored.user_id, came);
}
