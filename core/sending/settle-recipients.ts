import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import { LEDGER_STATE, type MailingStatus } from '../../domain/words.ts';
import { reopen } from '../mailings/transitions.ts';
import { writeTallies } from './tally.ts';

// Whether an uncertain recipient got the mail nobody can know, and whether a refusal was the recipient's fault nobody here does; what to make of it is an
// operator's choice, made here and nowhere by itself.

const { pending, accepted, failed, uncertain } = LEDGER_STATE;
const CHOICES = {
  'uncertain/resend': {
    from: uncertain,
    to: pending,
    detail: null,
  },
  'uncertain/accept': {
    from: uncertain,
    to: accepted,
    detail: 'uncertain; an operator took it for accepted',
  },
  'failed/resend': {
    from: failed,
    to: pending,
    detail: null,
  },
} as const;
export type SettleChoice = keyof typeof CHOICES;

/**
 * Settles all recipients of a mailing that are in one state, in the transaction `sql` runs in: rows and shard counters in one statement, while nothing is being sent. A
 * completed mailing some of whose recipients are to be mailed again is `stopped`: it has somebody left, and goes on when it is queued.
 * @returns how many there were
 * @throws NotFoundError; InputError while the mailing is under way
 */
export async function settleRecipients(sql: Sql, mailingId: number, choice: SettleChoice): Promise<number> {
  const { from, to, detail } = CHOICES[choice];
  const [mailing] = await sql<{ status: MailingStatus }>('select status from core_mailing where id = $1 for update', [mailingId]);
  if (!mailing) throw new NotFoundError();
  if (UNDER_WAY.includes(mailing.status))
    throw new InputError({ status: `The mailing is ${mailing.status}; stop it, or wait for its end.` });
  const again = to === pending;
  const [sum] = await sql<{ settled: number; shards: number[] }>(
    `with settled as (
        update send_ledger set state = $2, detail = $3, changed_at = now() where mailing_id = $1 and state = $5 returning position),
      shards as (
        select s.shard, count(*)::int as many from settled p join send_shard s on s.mailing_id = $1 and p.position between s.from_position and s.to_position
        group by 1),
      counted as (
        update send_shard s set uncertain = s.uncertain - case when $5 = ${uncertain} then many else 0 end,
          failed = s.failed - case when $5 = ${failed} then many else 0 end, accepted = s.accepted + case when $4 then 0 else many end,
          -- Whoever still holds the shard, though the send has ended, has read it as it was.
          fence = s.fence + 1, finished = s.finished and not $4, pass = case when $4 then 1 else s.pass end,
          claimed_to = case when $4 then s.from_position - 1 else s.claimed_to end
        from shards where s.mailing_id = $1 and s.shard = shards.shard)
      select count(*)::int as settled, array(select shard from shards) as shards from settled`,
    [mailingId, to, detail, again, from],
  );
  const { settled = 0, shards = [] } = sum ?? {};
  if (shards.length) await sql(writeTallies('s.shard = any($2::int[])'), [mailingId, shards]);
  if (settled && again) {
    await reopen(sql, mailingId);
  }
  return settled;
}
