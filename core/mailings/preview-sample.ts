import type { Pool } from '../../db/driver.ts';
import { inOrder } from '../sending/in-order.ts';
import { ofUser } from '../sending/of-user.ts';

/** Whom the mail is shown for, and their place in the set; `position` is null for somebody outside it. */
export interface Sample {
  user_id: number;
  email: string;
  position: number | null;
}

/** The user `userId` names, or the `n`th of the set and whoever comes next. */
export async function findSample(
  pool: Pool,
  mailingId: number,
  { userId, n }: { userId: number | null; n: number },
): Promise<Sample | null> {
  const { rows } = userId
    ? await pool.query<Sample>(
        `select u.id as user_id, u.email, l.position from core_user u left join send_record l on ${ofUser('l', '$2')} and l.mailing_id = $1 where u.id = $2`,
        [mailingId, userId],
      )
    : await pool.query<Sample>(
        `${inOrder('$2')} select u.id as user_id, u.email, l.position from in_order l join core_user u on u.id = l.user_id order by l.position limit 1`,
        [mailingId, n],
      );
  return rows[0] ?? null;
}
