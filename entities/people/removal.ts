import { dropCached } from '../reports/report-cache.ts';
import { holdArchive } from '../sending/archive.ts';
import type { Sql } from '../sql.ts';
import { BELONGINGS } from './belongings.ts';
import { skipPendingMail } from './skip-pending.ts';

/** A mailing on its way keeps the rows it is working on: they hold a number and no name, and its sums must come out. */
const UNDER_WAY = `('queued', 'rebuilding_at_send', 'sending')`;

/** Before a user's row is deleted: takes away what hangs on it and what no foreign key takes along. Run in the same transaction. */
export async function removeBelongings(sql: Sql, userId: number): Promise<void> {
  await holdArchive(sql);
  await skipPendingMail(sql, userId, 'this user no longer exists');
  await dropCached(sql);
  for (const { table, column, through, by, delete: rule } of BELONGINGS) {
    if (through || by) continue;
    if (rule === 'clear') await sql(`update ${table} set ${column} = null where ${column} = $1`, [userId]);
    if (rule === 'delete' && table === 'send_ledger') {
      await sql(
        `delete from send_ledger l using core_mailing m where l.user_id = $1 and m.id = l.mailing_id and m.status not in ${UNDER_WAY}`,
        [userId],
      );
    } else if (rule === 'delete') await sql(`delete from ${table} where ${column} = $1`, [userId]);
  }
}
