import type { Sql } from '../../db/sql.ts';
import { keepErasedContacts } from '../crm/partner/erased.ts';
import { dropUserIntents } from '../crm/partner/gone-orders.ts';
import { dropCached } from '../reports/report-cache.ts';
import { removeRecipient } from '../sending/recipients-who-go.ts';
import { BELONGINGS, changed } from './belongings.ts';
import { tellGoing } from './who-went.ts';

/** Before a user's row is deleted: takes away what hangs on it and what no foreign key takes along. Run in the same transaction. */
export async function removeBelongings(sql: Sql, userId: number): Promise<void> {
  await tellGoing(sql);
  await removeRecipient(sql, userId);
  await dropCached(sql);
  await keepErasedContacts(sql, [userId]);
  await dropUserIntents(sql, userId);
  for (const { table, column, through, by, shown, delete: rule } of BELONGINGS) {
    if (through || by) continue;
    if (rule === 'clear') await sql(`update ${table} set ${column} = null${changed(shown)} where ${column} = $1`, [userId]);
  }
}
