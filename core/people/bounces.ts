import type { Sql } from '../../db/sql.ts';
import type { BounceKind } from '../../domain/words.ts';
import { cameFromFormer } from './former-addresses.ts';
import { holdPresentUser } from './present-user.ts';
import { softBounces } from './soft-bounces.ts';
import { unsubscribe } from './subscribing.ts';

export interface NewBounce {
  userId: number;
  mailingId: number | null;
  kind: BounceKind;
  code: string;
  diagnostic: string;
  /** Which addresses did not get the mail, as `mailboxKey` has them; empty where the report does not say. */
  addresses: readonly string[];
  /** Names the report, so that one delivered twice counts once. */
  reportId: string;
}

/**
 * Records a bounce or complaint and what it means: hard takes the person off all lists and marks them bounced; soft is only logged, and means the
 * same as hard when it is one of `limit` within `days`; a complaint unsubscribes from all lists. What came back from an address they had before says nothing of the one
 * they have now, and is only logged. Run inside a transaction.
 * @returns the id of the record; null for a person who is gone or a report that is known already
 */
export async function recordBounce(sql: Sql, bounce: NewBounce, { limit, days }: { limit: number; days: number }): Promise<number | null> {
  const { mailingId, kind, code, diagnostic, reportId } = bounce;
  // Who was merged with somebody since complains as that one; a bounce is of an address that one may not have.
  const userId = kind === 'complaint' ? await holdPresentUser(sql, bounce.userId, 'no key update') : bounce.userId;
  const held = await sql('select from core_user where id = $1 for no key update', [userId]);
  if (userId === null || held.length === 0) return null;
  const ofFormer = kind !== 'complaint' && (await cameFromFormer(sql, userId, bounce.addresses));
  const [made] = await sql<{ id: number }>(
    `insert into core_bounce (user_id, mailing_id, kind, code, report_id, of_former, diagnostic) values ($1, $2, $3, $4, $6, $7, case when exists (select from core_erasure where user_id = $1 and status = 'complete') then '' else $5 end)
     on conflict (report_id, user_id) do nothing returning id`,
    [userId, mailingId, kind, code, diagnostic, reportId, ofFormer],
  );
  if (!made) return null;
  if (ofFormer) return made.id;
  if (kind === 'complaint') await unsubscribe(sql, { userIds: [userId], change: 'unsubscribe_complaint' });
  else if (kind === 'hard' || (await softBounces(sql, userId, days)) >= limit) {
    await unsubscribe(sql, { userIds: [userId], change: 'unsubscribe_bounce', becomes: 'bounced' });
  }
  return made.id;
}
