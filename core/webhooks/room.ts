import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';

/** Each action, donation and bounce is written once more for each webhook that hears of it, before whoever caused it has their answer. */
export const MOST_WEBHOOKS = 200;

/** One that is made at a time, or many at once would each see room. @throws InputError */
export async function checkRoomForWebhook(sql: Sql): Promise<void> {
  await sql(`select pg_advisory_xact_lock(hashtext('core_webhook'))`);
  const [row] = await sql<{ count: number }>('select count(*)::int as count from core_webhook');
  if (row!.count >= MOST_WEBHOOKS)
    throw new InputError({ url: `There are ${MOST_WEBHOOKS} webhooks, and there may be no more: delete one that is not needed.` });
}
