import type pg from 'pg';
import type { ApiClient } from '../demo/client.ts';
import { contentOf, type Expected } from './expected.ts';
import type { Person } from './people.ts';

/** How a mailing is ordered. */
export interface Order {
  token: string;
  rate: number;
  /** Who must get it. */
  people: readonly Person[];
  /** The set is built when it is sent, and not before. */
  rebuildAtSend?: boolean;
  /** The order of the set is drawn by lot: people who come last on the list are then everywhere in it. */
  shuffled?: boolean;
}

/** Makes a mailing as clients do, and its set. @returns what was ordered, written down before a mail of it was sent */
export async function orderMailing(
  api: ApiClient,
  { token, rate, people, rebuildAtSend = false, shuffled = false }: Order,
): Promise<Expected> {
  const uri = await api.write('POST', '/rest/v1/mailer/', {
    ...contentOf(token),
    includes: { lists: ['Everyone'] },
    mails_per_second: rate,
    rebuild_query_at_send: rebuildAtSend,
    ...(shuffled && { sort_by: 'random' }),
  });
  const must = new Map(people.map((person) => [person.email, { ...person, names: [person.names.at(-1)!] }]));
  if (!rebuildAtSend) {
    const poll = await api.write('POST', `${new URL(uri).pathname}rebuild/`);
    const { success } = await api.poll<{ finished: boolean; success: boolean }>(poll, 25);
    if (!success) throw new Error(`the set of ${uri} could not be built`);
  }
  return { mailingId: Number(uri.split('/').at(-2)), token, rate, must, left: new Map() };
}

/** What has been checked need not be kept: hundreds of rounds are to cost what the first one does. */
export async function forgetMailing(pool: pg.Pool, { mailingId }: Expected): Promise<void> {
  for (const table of ['send_set', 'send_log', 'send_accepted', 'send_exception', 'send_shard']) {
    await pool.query(`delete from ${table} where mailing_id = $1`, [mailingId]);
  }
}
