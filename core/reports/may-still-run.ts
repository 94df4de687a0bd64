import type { Pool } from '../../db/driver.ts';
import { holdsGrant } from '../accounts/holds-grant.ts';

/** What is said of a task whose account may not, any more. */
export const MAY_NOT_RUN = 'the account that asked for it may not run reports any more';

/**
 * Whether whoever asked for a report in the background could still ask for it: one waits for hours, its mail for days, and who is shown the door meanwhile is not
 * sent it. Where nobody is known, nobody has lost a right.
 */
export async function mayStillRun(pool: Pool, taskId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from core_backgroundtask t where t.id = $1 and t.submitter_id is not null
       and not exists (select from auth_user a where a.id = t.submitter_id and ${holdsGrant('a', 'report:read')})`,
    [taskId],
  );
  return rowCount === 0;
}
