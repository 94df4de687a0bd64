import type { Recipient } from '../../mail/contracts.ts';
import type { CoreDeps } from '../deps.ts';
import { inOrder } from '../sending/in-order.ts';
import { madeUpPeople } from './made-up-people.ts';

/**
 * The people a proof is made for: made-up ones where whoever asked may not see members, else those named, else the first of the saved set in an order that stays
 * the same for a mailing; these with their places in it.
 */
export async function readSamples(
  { pool }: Pick<CoreDeps, 'pool'>,
  mailingId: number,
  job: { proofs: number; proof_users: number[]; made_up: boolean },
  columns: string,
  mergefileColumns: readonly string[] = [],
): Promise<Recipient[]> {
  if (job.made_up) return madeUpPeople(pool, job.proofs, columns, mergefileColumns);
  const { rows } = job.proof_users.length
    ? await pool.query(`select u.id as user_id, u.email${columns} from core_user u where u.id = any($1) order by u.id`, [job.proof_users])
    : await pool.query(
        `${inOrder('0')} select l.position, u.id as user_id, u.email${columns} from in_order l join core_user u on u.id = l.user_id order by l.position limit $2`,
        [mailingId, job.proofs],
      );
  return rows;
}
