import type { Sql } from '../../db/sql.ts';
import { mergedLists } from '../../domain/people/merged-lists.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ofUser } from '../sending/of-user.ts';
import { listsOfMerge } from './merge.ts';

/** What of somebody is worth naming before they are merged or erased: the table, and the column that holds their id. */
const NAMED = {
  actions: ['core_action', 'user_id'],
  donations: ['core_order', 'user_id'],
  recurring: ['core_orderrecurring', 'user_id'],
  phones: ['core_phone', 'user_id'],
  fields: ['core_userfield', 'parent_id'],
  events: ['events_event', 'creator_id'],
  signups: ['events_eventsignup', 'user_id'],
  confirmations: ['core_transactionalmailing', 'user_id'],
  subscriptions: ['core_subscription', 'user_id'],
} as const;

/** Openings and clicks as mailings count them: without those of programs, and for good, where single ones are kept for a while. */
const TRACKED = { openings: 'opens', clicks: 'clicks' } as const;

export type Belongings = Record<keyof typeof NAMED | keyof typeof TRACKED | 'mails', number>;

/** How much of what there is of somebody. */
export async function countBelongings(sql: Sql, userId: number): Promise<Belongings> {
  const counts = Object.entries(NAMED).map(
    ([name, [table, column]]) => `(select count(*) from ${table} where ${column} = $1)::int as ${name}`,
  );
  const tracked = Object.entries(TRACKED).map(
    ([name, column]) => `(select coalesce(sum(${column}), 0) from core_trackedrecipient where user_id = $1)::int as ${name}`,
  );
  // As `sent_mails` of the API: who only waits in a mailing, or was left out of it, got none.
  const mails = `(select count(*) from send_record r where ${ofUser('r', '$1')} and r.state = ${LEDGER_STATE.accepted})::int as mails`;
  const [row] = await sql<Belongings>(`select ${[...counts, ...tracked, mails].join(', ')}`, [userId]);
  return row!;
}

/** The ids of the lists somebody is on when another was merged into them and nothing else was asked for. */
export const listsAfterMerge = async (sql: Sql, primary: number, merged: number): Promise<number[]> =>
  mergedLists(await listsOfMerge(sql, primary, [merged]), null);
