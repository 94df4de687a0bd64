import type { Pool } from '../../db/driver.ts';
import { outlast } from '../../db/outlast.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { isCommitUncertain } from '../../db/uncertain-commit.ts';
import type { TransactionalStatus } from '../../domain/words.ts';
import type { Mail, Outcome, Relay } from '../../mail/contracts.ts';
import { finalReason } from '../final-reason.ts';
import { whileAwake } from '../sending/while-awake.ts';
import { NOT_KEPT } from './free-texts.ts';
import { nobodyWentSince } from './who-went.ts';

/** A mail, and the relay it goes over. */
export interface ReadyMail {
  mail: Mail;
  relay: Relay;
  /** Of one in which others may stand than whom it goes to: `goneSoFar` before any of it was read. */
  gone?: string | null;
}

/** How a mail to one person ended. */
export interface Ending {
  status: Exclude<TransactionalStatus, 'pending' | 'sending'>;
  detail: string;
}

/** The relay takes no mail just now: to be tried later. The name is what operators see a try fail with. */
export class RelayDownError extends Error {
  override readonly name = 'RelayDown';
}

/** Tables with one row for each mail: id, status, detail, put_off_since, sent_at, updated_at. */
export type MailTable = 'core_transactionalmailing' | 'core_mailingnotice';

/** An interval: somebody the relay puts off (4xx) again and again is tried for so long, while the relay itself is waited for however long it is away. */
const PUT_OFF_LONGEST = '2 days';
/** So often a mail is made in a row because somebody went who may stand in it. */
const MOST_MADE = 3;

/**
 * Sends the mail of a row, once. The row is marked `sending` and committed before the relay can possibly have the mail; whoever finds it so after
 * a crash cannot know whether it went out, and says uncertain instead of sending it twice.
 * @param prepare makes the mail, or says why there is none; may fail and be run again
 * @throws RelayDownError: the row is pending again, unless this one mail was put off for too long. Error where people go again and again who may stand in it: to be run again
 */
export async function sendOnce(pool: Pool, table: MailTable, id: number, prepare: () => Promise<ReadyMail | Ending>): Promise<void> {
  for (let made = 0; made < MOST_MADE; made++) if (await tryToSend(pool, table, id, prepare)) return;
  throw new Error('somebody who may stand in this mail is being erased');
}

/** @returns false where somebody went who may stand in the mail: it was not sent, and is to be made anew */
async function tryToSend(pool: Pool, table: MailTable, id: number, prepare: () => Promise<ReadyMail | Ending>): Promise<boolean> {
  // Of somebody erased meanwhile nothing is said.
  const kept = (detail: string) => `case when detail = '${NOT_KEPT}' then detail else ${detail} end`;
  const set = ({ status, detail }: Ending, which: string, more: unknown[] = []) =>
    pool.query(
      `update ${table} set status = $2, detail = ${kept('$3')}, updated_at = now(), sent_at = case when $2 = 'sent' then now() end
        where id = $1 and ${which}`,
      [id, status, detail.slice(0, 500), ...more],
    );
  // By the moment of its claim whoever made that knows it still, and says what became of it.
  const lost = await pool.query(`update ${table} set status = 'uncertain', detail = ${kept('$2')} where id = $1 and status = 'sending'`, [
    id,
    'the worker ended while this mail was on its way to the relay',
  ]);
  if (lost.rowCount) return true;
  const { rows } = await pool.query<{ at: string }>(
    `select clock_timestamp()::text as at from ${table} where id = $1 and status = 'pending'`,
    [id],
  );
  const [pending] = rows;
  if (!pending) return true;
  const ready = await prepare().catch(endIfFinal);
  if ('status' in ready) {
    await set(ready, `status = 'pending'`);
    return true;
  }
  // Who stood still over it has been given up: the person may have been erased since, or have left.
  const outcome = await whileAwake(async (isAwake) => {
    const claimed = await claimMail(pool, table, id, pending.at, ready.gone);
    return claimed === 'claimed' ? ready.relay.send(ready.mail, isAwake, true) : claimed;
  });
  if (typeof outcome === 'string') return outcome === 'taken';
  const ending = endingOf(outcome);
  if (ending === 'again') {
    if (await outlast(() => waits(pool, table, id, outcome, pending.at)))
      throw new RelayDownError(`the relay is not taking mail: ${outcome.reply}`);
    return true;
  }
  // What another attempt took for lost is known now.
  await outlast(() => set(ending, `${CLAIMED} = $4`, [pending.at]));
  return true;
}

/** SQL: by which claim a mail is on its way, or was taken for lost: how it ended has another moment. */
const CLAIMED = `case when status in ('sending', 'uncertain') then updated_at end`;

/**
 * Marks a pending mail as `sending`, before the relay can possibly have it. Where the answer to that is lost the mail has gone nowhere: it is put back, unless it is another attempt's.
 * @param at a moment by the database's clock, which nobody else has: by this the claim is known again
 * @param gone of ReadyMail
 * @returns `taken` when it is not pending any more, `gone` when somebody went who may stand in it
 */
async function claimMail(
  pool: Pool,
  table: MailTable,
  id: number,
  at: string,
  gone?: string | null,
): Promise<'claimed' | 'taken' | 'gone'> {
  const claim = async (sql: Sql) => {
    const claimed = await sql(
      `update ${table} set status = 'sending', detail = case when detail = '${NOT_KEPT}' then detail else '' end, updated_at = $2
        where id = $1 and status = 'pending' returning id`,
      [id, at],
    );
    return claimed.length > 0 ? 'claimed' : 'taken';
  };
  try {
    if (gone === undefined) return await claim(sqlOn(pool));
    return await inOneTransaction(pool, async (sql) => ((await nobodyWentSince(sql, gone)) ? claim(sql) : 'gone'));
  } catch (error) {
    // Of one that cannot be put back it is said that nobody knows.
    if (isCommitUncertain(error)) await outlast(() => putBack(pool, table, id, at)).catch(() => {});
    throw error;
  }
}

const putBack = (pool: Pool, table: MailTable, id: number, at: string) =>
  pool.query(
    `update ${table} set status = case when detail = '${NOT_KEPT}' then 'skipped' else 'pending' end, updated_at = now()
      where id = $1 and status = 'sending' and updated_at = $2`,
    [id, at],
  );

/**
 * The relay certainly does not have it, also where another attempt took it for lost; the sweep starts that again.
 * @param at by which claim: written before, its answer lost or itself late, it may be another attempt's by now
 * @returns whether it is to be tried again
 */
async function waits(pool: Pool, table: MailTable, id: number, { kind, reply }: Outcome, at: string): Promise<boolean> {
  const { rows } = await pool.query<{ status: TransactionalStatus }>(
    `update ${table} set put_off_since = case when $3 then coalesce(put_off_since, now()) else put_off_since end,
        status = case when detail = '${NOT_KEPT}' then 'skipped' when $3 and put_off_since < now() - interval '${PUT_OFF_LONGEST}' then 'failed' else 'pending' end,
        detail = case when detail = '${NOT_KEPT}' then detail else $2 end, updated_at = now()
      where id = $1 and ${CLAIMED} = $4 returning status`,
    [id, reply.slice(0, 500), kind === 'deferred', at],
  );
  return rows[0]?.status === 'pending';
}

/** What no further try can mend is the end of this mail. */
function endIfFinal(error: unknown): Ending {
  const detail = finalReason(error);
  if (detail === null) throw error;
  return { status: 'failed', detail };
}

function endingOf(outcome: Outcome): Ending | 'again' {
  switch (outcome.kind) {
    case 'accepted':
      return { status: 'sent', detail: '' };
    case 'failed':
      return { status: 'failed', detail: outcome.reply };
    case 'uncertain':
      return { status: 'uncertain', detail: outcome.reply };
    case 'withheld':
      return { status: 'skipped', detail: outcome.reply };
    default:
      return 'again';
  }
}
