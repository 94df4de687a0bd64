import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import { LEDGER_STATE, type MailingStatus } from '../../domain/words.ts';
import { reopen } from '../mailings/transitions.ts';
import { edit } from './edits.ts';
import type { Recorded } from './shards.ts';
import { tallyAnew } from './tally.ts';

// Whether an uncertain recipient got the mail nobody can know, and whether a refusal was the recipient's fault nobody here does; what to make of it is an
// operator's choice, made here and nowhere by itself.

const CHOICES = {
  'uncertain/resend': { from: 'uncertain', to: 'pending', detail: null },
  'uncertain/accept': { from: 'uncertain', to: 'accepted', detail: 'uncertain; an operator took it for accepted' },
  'failed/resend': { from: 'failed', to: 'pending', detail: null },
} as const;
export type SettleChoice = keyof typeof CHOICES;

/** Whom somebody was asked about: how many there were, of which queueing of the mailing. */
export interface AskedAbout {
  many: number;
  queuedAt: string | null;
}

/** Why none is settled. */
export const others = (): InputError => new InputError({ status: 'There are others than those you were asked about: look at them again.' });

/** Most recipients of a block of the set. */
const BLOCK = 1000;

/**
 * Settles all recipients of a mailing that are in one state, in the transaction `sql` runs in, while nothing is being sent: those of finished shards in the record, from
 * where they go back into the set when they are to be sent to again, the others by a line of the log. Who is taken for accepted was so when the mail was on its way, and not when somebody says
 * so: by its time it is known what the mail said. A completed mailing some of whose recipients are to be mailed again is `stopped`: it has somebody left, and goes on when
 * it is queued.
 * @param about where there are others by now, none is settled
 * @returns how many there were
 * @throws NotFoundError; InputError while the mailing is under way, or of others than those `about` says
 */
export async function settleRecipients(sql: Sql, mailingId: number, choice: SettleChoice, about?: AskedAbout): Promise<number> {
  const { from, to, detail } = CHOICES[choice];
  const [mailing] = await sql<{ status: MailingStatus; queued_at: string | null }>(
    `select status, ${timestampSql('queued_at')} as queued_at from core_mailing where id = $1 for update`,
    [mailingId],
  );
  if (!mailing) throw new NotFoundError();
  if (UNDER_WAY.includes(mailing.status))
    throw new InputError({ status: `The mailing is ${mailing.status}; stop it, or wait for its end.` });
  // Whoever still holds a shard, though the send has ended, has read it as it was.
  const counted = await sql<{ many: number }>(`select ${from} as many from send_shard where mailing_id = $1 order by shard for update`, [
    mailingId,
  ]);
  const many = counted.reduce((sum, shard) => sum + shard.many, 0);
  if (about && many === 0) throw new InputError({ status: 'Those you were asked about are settled already: look at them again.' });
  if (about && (many !== about.many || mailing.queued_at !== about.queuedAt)) throw others();
  const recorded = await sql<{ shard: number; position: number }>(
    to === 'pending'
      ? BACK_INTO_THE_SET
      : 'update send_exception set state = $3, detail = $4 where mailing_id = $1 and state = $2 returning shard, position',
    to === 'pending' ? [mailingId, LEDGER_STATE[from]] : [mailingId, LEDGER_STATE[from], LEDGER_STATE[to], detail],
  );
  const logged = await sql<{ shard: number; position: number; at: string }>(
    `select said.shard, said.position, said.at::text as at from send_said said join send_shard s using (mailing_id, shard)
     where said.mailing_id = $1 and said.state = $2 and not s.finished`,
    [mailingId, LEDGER_STATE[from]],
  );
  const shards = Map.groupBy([...recorded, ...logged], ({ shard }) => shard);
  const moments = Map.groupBy(to === 'accepted' ? logged : [], ({ shard, at }) => `${shard} ${at}`);
  const saying = (people: { position: number }[]): Recorded[] =>
    people.map(({ position }) => ({ position, state: LEDGER_STATE[to], detail }));
  for (const [shard, people] of shards) {
    await edit(sql, { mailing_id: mailingId, shard }, to === 'pending' ? saying(people) : [], {
      [from]: -people.length,
      ...(to === 'accepted' && { accepted: people.length }),
    });
  }
  for (const people of moments.values()) {
    const { shard, at } = people[0]!;
    await edit(sql, { mailing_id: mailingId, shard }, saying(people), {}, at);
  }
  const settled = recorded.length + logged.length;
  if (settled && to === 'pending') {
    await sql(
      `update send_shard set fence = fence + 1, finished = false, pass = 1, pass_seq = seq, deferred = 0
       where mailing_id = $1 and shard = any($2::int[])`,
      [mailingId, [...shards.keys()]],
    );
    await reopen(sql, mailingId);
  }
  if (recorded.length) await tallyAnew(sql, mailingId, [...new Set(recorded.map(({ shard }) => shard))]);
  return settled;
}

/**
 * Those of the record in state $2, in blocks of neighbours. Where what is left of a block that several shards share begins at the same position, they take their places in it.
 */
const BACK_INTO_THE_SET = `
  with gone as (delete from send_exception where mailing_id = $1 and state = $2 returning shard, position, user_id),
  neighbours as (select *, position - row_number() over (order by position) as run from gone),
  placed as (
    insert into send_set (mailing_id, first, least_user, most_user, user_ids)
    select $1, min(position), min(user_id), max(user_id), array_agg(user_id order by position) from (
      select *, (row_number() over (partition by run order by position) - 1) / ${BLOCK} as block from neighbours) n
    group by run, block
    on conflict (mailing_id, first) do update set least_user = least(send_set.least_user, excluded.least_user),
      most_user = greatest(send_set.most_user, excluded.most_user), user_ids = excluded.user_ids || send_set.user_ids[cardinality(excluded.user_ids) + 1 :])
  select shard, position from gone`;
