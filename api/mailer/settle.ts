import type { FastifyInstance } from 'fastify';
import { reopen } from '../../core/mailings/transitions.ts';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import { LEDGER_STATE, type MailingStatus } from '../../domain/words.ts';
import { writeTallies } from '../../entities/sending/tally.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { inTransaction } from '../resource/write.ts';
import { mailingRoute, REFUSED, readKeys } from './action-route.ts';

// Whether an uncertain recipient got the mail nobody can know, and whether a refusal was the recipient's fault nobody here does; what to make of it is an
// operator's choice, made here and nowhere by itself.

const { pending, accepted, failed, uncertain } = LEDGER_STATE;
const CHOICES = {
  'uncertain/resend': {
    summary: 'Mail the uncertain recipients again when the mailing is queued next',
    from: uncertain,
    to: pending,
    detail: null,
  },
  'uncertain/accept': {
    summary: 'Count the uncertain recipients as accepted',
    from: uncertain,
    to: accepted,
    detail: 'uncertain; an operator took it for accepted',
  },
  'failed/resend': {
    summary: 'Mail those the relay refused again when the mailing is queued next',
    from: failed,
    to: pending,
    detail: null,
  },
} as const;
type Choice = (typeof CHOICES)[keyof typeof CHOICES];
export type ChoiceName = keyof typeof CHOICES;

/** POST /rest/v1/mailer/{id}/uncertain/resend/, …/uncertain/accept/ and …/failed/resend/: settle all of them. Answers how many there were. */
export function registerSettle(app: FastifyInstance, context: ApiContext): void {
  for (const [name, choice] of Object.entries(CHOICES)) {
    const settled = {
      type: 'object',
      required: ['settled'],
      properties: { settled: { type: 'integer', description: 'How many recipients it was.' } },
    };
    const options = mailingRoute('mailer:send', choice.summary, { 200: settled, 400: REFUSED });
    app.post(`/rest/v1/mailer/:id/${name}/`, options, async (request) => {
      readKeys(request.body, []);
      return { settled: await settleRecipients(context, idOf(request), name as ChoiceName) };
    });
  }
}

/**
 * Settles all recipients of a mailing that are in one state.
 * @returns how many there were
 * @throws NotFoundError; InputError while the mailing is under way
 */
export function settleRecipients(context: ApiContext, id: number, choice: ChoiceName): Promise<number> {
  return inTransaction(context, (_em, sql) => settle(sql, id, CHOICES[choice]));
}

/**
 * Rows and shard counters in one statement, while nothing is being sent. A completed mailing some of whose recipients are to be mailed again is `stopped`: it
 * has somebody left, and goes on when it is queued.
 */
async function settle(sql: Sql, mailingId: number, { from, to, detail }: Choice): Promise<number> {
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
