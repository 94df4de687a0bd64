import type { Sql } from '../../db/sql.ts';
import { mergedLists } from '../../domain/people/merged-lists.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ofUser } from '../sending/of-user.ts';
import { listsOfMerge } from './merge.ts';

interface Counted {
  table: string;
  /** Holds their id. */
  column: string;
  /** What is counted; each row without it. */
  by?: string;
  /** Of rows that are alike in these, one is left when their people are merged (belongings.ts, merge.ts). */
  once?: string[];
}

/** What of somebody is worth naming before they are merged or erased. */
const NAMED = {
  actions: { table: 'core_action', column: 'user_id' },
  donations: { table: 'core_order', column: 'user_id' },
  recurring: { table: 'core_orderrecurring', column: 'user_id' },
  phones: { table: 'core_phone', column: 'user_id', once: ['normalized_phone', 'type'] },
  // A list is a field, too, and a row for each of its values.
  fields: { table: 'core_userfield', column: 'parent_id', by: 'distinct x.name', once: ['name'] },
  events: { table: 'events_event', column: 'creator_id' },
  signups: { table: 'events_eventsignup', column: 'user_id', once: ['event_id', 'role'] },
  confirmations: { table: 'core_transactionalmailing', column: 'user_id' },
  subscriptions: { table: 'core_subscription', column: 'user_id' },
} as const satisfies Record<string, Counted>;

/** Openings and clicks as mailings count them: without those of programs, and for good, where single ones are kept for a while. */
const TRACKED = { openings: 'opens', clicks: 'clicks' } as const;

export type Belongings = Record<keyof typeof NAMED | keyof typeof TRACKED | 'mails', number>;

/** How much of what there is of somebody. @param into of what moves when they are merged into that one; of that these have some already */
export async function countBelongings(sql: Sql, userId: number, into: number | null = null): Promise<Belongings> {
  const unlessThere = ({ table, column, once }: Counted) =>
    once
      ? ` and not exists (select from ${table} y where y.${column} = $2 and ${once.map((key) => `y.${key} = x.${key}`).join(' and ')})`
      : '';
  const counts = Object.entries<Counted>(NAMED).map(
    ([name, each]) =>
      `(select count(${each.by ?? '*'}) from ${each.table} x where x.${each.column} = $1${unlessThere(each)})::int as ${name}`,
  );
  const tracked = Object.entries(TRACKED).map(
    ([name, column]) => `(select coalesce(sum(${column}), 0) from core_trackedrecipient where user_id = $1)::int as ${name}`,
  );
  // As `sent_mails` of the API: who only waits in a mailing, or was left out of it, got none.
  const mailsOf = (user: string) =>
    `select mailing_id from send_record r where ${ofUser('r', user)} and r.state = ${LEDGER_STATE.accepted}`;
  const mails = `(select count(*) from (${mailsOf('$1')} except ${mailsOf('$2')}) m)::int as mails`;
  const [row] = await sql<Belongings>(`select ${[...counts, ...tracked, mails].join(', ')}`, [userId, into]);
  return row!;
}

/** The ids of the lists somebody is on when another was merged into them and nothing else was asked for. */
export const listsAfterMerge = async (sql: Sql, primary: number, merged: number): Promise<number[]> =>
  mergedLists(await listsOfMerge(sql, primary, [merged]), null);
