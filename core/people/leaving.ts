import type { Sql } from '../../db/sql.ts';
import { type NewBounce, recordBounce } from './bounces.ts';
import { holdPresentUser } from './present-user.ts';
import { unsubscribe } from './subscribing.ts';

/** The page its actions stand on, made when the first one comes: so that a mailing's results can count who left by it. */
const PAGE = 'unsubscribe-from-mail';

/**
 * Takes somebody off all lists because they said so, by a link, a button or a mail. Who is on no list any more leaves no second trace: the button pressed
 * twice, a client that tries again. Who was merged with somebody since leaves as that one. Run inside a transaction.
 * @param mailingId of the mail that led there; null when it is not known
 */
export async function leaveAllLists(sql: Sql, userId: number, mailingId: number | null, ipAddress: string | null): Promise<void> {
  // The page before the person, as whoever deletes it comes to those who left by it.
  const page = await holdLeavingPage(sql);
  const held = await holdPresentUser(sql, userId, 'no key update');
  if (held === null) return;
  // By a statement of its own: one that waited knows nothing of what was done meanwhile, such as leaving.
  const lists = await sql('select from core_subscription where user_id = $1 limit 1', [held]);
  if (lists.length === 0) return;
  const [action] = await sql<{ id: number }>(
    `insert into core_action (user_id, page_id, mailing_id, source, ip_address)
     values ($1, $4, (select m.id from core_mailing m where m.id = $2), 'mail', coalesce($3, '')) returning id`,
    [held, mailingId, ipAddress, page ?? (await makeLeavingPage(sql))],
  );
  await unsubscribe(sql, { userIds: [held], change: 'unsubscribe_email', actionId: action!.id });
}

async function holdLeavingPage(sql: Sql): Promise<number | null> {
  const [page] = await sql<{ id: number }>('select id from core_page where name = $1 for key share', [PAGE]);
  return page?.id ?? null;
}

/** Where it is deleted at that moment it is made anew. */
async function makeLeavingPage(sql: Sql): Promise<number> {
  await sql(`insert into core_page (name, title, type) values ($1, 'Unsubscribe from mail', 'unsubscribe') on conflict (name) do nothing`, [
    PAGE,
  ]);
  return (await holdLeavingPage(sql)) ?? makeLeavingPage(sql);
}

/**
 * Records what came back by mail and what it means, whichever way it came in. Run inside a transaction.
 * @returns the id of the bounce that was recorded; null when none was
 */
export async function recordReturnedMail(
  sql: Sql,
  returned: NewBounce | { kind: 'unsubscribe'; userId: number; mailingId: number | null },
  limits: { limit: number; days: number },
): Promise<number | null> {
  if (returned.kind !== 'unsubscribe') return recordBounce(sql, returned, limits);
  await leaveAllLists(sql, returned.userId, returned.mailingId, null);
  return null;
}
