import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

// What becomes of somebody's rows in the ledger when they are deleted, erased, or merged with somebody else. A row that a shard covers is counted (in the shard,
// in tallies, in what is expected), so it stays, whatever becomes of the person; a row of a set that has not been begun goes, and the set's size with it.

const { pending, sending, skipped } = LEDGER_STATE;

/** How much a state says of whether somebody has the mail: whoever was mailed under either address must not be mailed again. */
const SAYS: Record<number, number> = {
  [LEDGER_STATE.accepted]: 5,
  [LEDGER_STATE.uncertain]: 4,
  [sending]: 3,
  [LEDGER_STATE.failed]: 2,
  [skipped]: 1,
  [pending]: 0,
};

const MERGED = 'this user was merged with one who is in this mailing, too';

/** Whether a shard counts the row `l`. */
const COVERED =
  'exists (select from send_shard s where s.mailing_id = l.mailing_id and l.position between s.from_position and s.to_position)';

/** In place of a user's id: nobody has it, and within its mailing no other row. */
const NOBODY = '-position';

/**
 * The words of a row `l`, forgotten. Of a mail still on its way the relay's answer is yet to come: the empty text, unlike null, says that it is not to be kept
 * either (`commitTurn`). It stands in the row, since a turn that waits for this one sees no other table as it is afterwards.
 */
const FORGOTTEN = `case when state in (${pending}, ${sending}) then '' end`;

/**
 * Nobody begins, rebuilds at begin or settles a mailing in which these people wait or stand twice, until the end of the transaction: so that whether a shard
 * covers a row stays as it is. Other changes to a mailing need not wait.
 */
async function holdMailings(sql: Sql, userIds: number[]): Promise<void> {
  await sql(
    `select id from core_mailing where id in (
       select mailing_id from send_ledger where user_id = any($1::int[]) group by 1 having count(*) > 1 or bool_or(state = ${pending}))
     order by id for key share`,
    [userIds],
  );
}

/**
 * Takes a person out of every sending that is under way or may be taken up again: their mail, where it has not begun, becomes skipped. A worker
 * that has read the person's row already finds it no longer pending when it wants to begin, and sends nothing.
 * @param mailingIds only out of these
 */
export async function skipPendingMail(sql: Sql, userId: number, reason: string, mailingIds: number[] | null = null): Promise<void> {
  await holdMailings(sql, [userId]);
  // Shard first, ledger second: the order in which the workers lock.
  const waiting = await sql<{ mailing_id: number; position: number }>(
    `select l.mailing_id, l.position from send_ledger l
     join send_shard s on s.mailing_id = l.mailing_id and l.position between s.from_position and s.to_position
     where l.user_id = $1 and l.state = ${pending} and ($2::int[] is null or l.mailing_id = any($2::int[]))
     order by s.mailing_id, s.shard for update of s`,
    [userId, mailingIds],
  );
  for (const row of waiting) await skip(sql, row, reason);
}

/** With its shard locked. */
async function skip(
  sql: Sql,
  { mailing_id: mailingId, position }: { mailing_id: number; position: number },
  reason: string,
): Promise<void> {
  await sql(
    `with skipped as (
       update send_ledger set state = ${skipped}, changed_at = now(), detail = $3
       where mailing_id = $1 and position = $2 and state = ${pending} returning 1)
     update send_shard set skipped = skipped + (select count(*) from skipped)
     where mailing_id = $1 and $2 between from_position and to_position`,
    [mailingId, position, reason],
  );
}

/** Takes rows out of sets that have not been begun. */
async function leaveSets(sql: Sql, rows: string, values: unknown[]): Promise<void> {
  await sql(
    `with gone as (delete from send_ledger l where ${rows} and not ${COVERED} returning mailing_id, state)
     update core_mailing m set saved_count = saved_count - many
     from (select mailing_id, count(*) as many from gone where state = ${pending} group by 1) g where m.id = g.mailing_id`,
    values,
  );
}

/** Before a user is deleted: who waits is skipped; rows that are counted stay and name nobody. */
export async function removeRecipient(sql: Sql, userId: number): Promise<void> {
  await skipPendingMail(sql, userId, 'this user no longer exists');
  await leaveSets(sql, 'l.user_id = $1', [userId]);
  await sql(
    `update send_ledger set user_id = ${NOBODY}, detail = case when state = ${skipped} and detail = 'this user no longer exists' then detail else ${FORGOTTEN} end
     where user_id = $1`,
    [userId],
  );
  await sql(`update send_archive set user_id = ${NOBODY} where user_id = $1`, [userId]);
}

/** A user is being erased: who waits is skipped, and what relays said of them is forgotten, also what they are yet to say. */
export async function eraseRecipient(sql: Sql, userId: number): Promise<void> {
  const reason = 'this user was erased';
  await skipPendingMail(sql, userId, reason);
  await sql(
    `update send_ledger set detail = case when state = ${skipped} and detail = $2 then detail else ${FORGOTTEN} end
     where user_id = $1 and (detail is not null or state in (${pending}, ${sending}))`,
    [userId, reason],
  );
}

/** Takes people who are gone from mailings that exclude them now: those waiting in a set that is being sent are skipped. */
export async function excludeRecipient(sql: Sql, userId: number, mailingIds: number[]): Promise<void> {
  await skipPendingMail(sql, userId, 'this user was merged with one whom the mailing excludes', mailingIds);
  await leaveSets(sql, `l.user_id = $1 and l.mailing_id = any($2::int[]) and l.state = ${pending}`, [userId, mailingIds]);
}

interface Row {
  mailing_id: number;
  position: number;
  user_id: number;
  state: number;
}

/**
 * The mails of merged users become the primary's. Of several rows in one mailing the one that says most does. The others go where the set has not been
 * begun; where it has, they stay, named after nobody, so that sums come out: who waits is skipped, what is on the wire ends as it may.
 * With the users' rows of the archive taken back (`returnFromArchive`).
 */
export async function mergeRecipients(sql: Sql, primary: number, merged: number[]): Promise<void> {
  const all = [primary, ...merged];
  await holdMailings(sql, all);
  const twice = `l.user_id = any($1::int[]) and exists (
    select from send_ledger o where o.mailing_id = l.mailing_id and o.user_id = any($1::int[]) and o.user_id <> l.user_id)`;
  // So that no worker changes them: those of finished shards are changed by nobody.
  await sql(
    `select s.shard from send_ledger l join send_shard s on s.mailing_id = l.mailing_id and l.position between s.from_position and s.to_position
     where ${twice} and not s.finished order by s.mailing_id, s.shard for update of s`,
    [all],
  );
  const rows = await sql<Row>(`select mailing_id, position, user_id, state from send_ledger l where ${twice} order by mailing_id`, [all]);
  const others = losers(rows, primary);
  const places = [others.map((row) => row.mailing_id), others.map((row) => row.position)];
  const named = '(mailing_id, position) in (select * from unnest($1::int[], $2::int[]))';
  if (others.length > 0) {
    await leaveSets(sql, named, places);
    for (const row of others) if (row.state === pending) await skip(sql, row, MERGED);
    await sql(
      `update send_ledger set user_id = ${NOBODY}, detail = case when state = ${skipped} and detail = $3 then detail else ${FORGOTTEN} end where ${named}`,
      [...places, MERGED],
    );
  }
  await sql('update send_ledger set user_id = $1 where user_id = any($2::int[])', [primary, merged]);
}

/** All rows of each mailing but the one that says most; of equals the primary's stays, else the older user's. */
function losers(rows: Row[], primary: number): Row[] {
  const best = new Map<number, Row>();
  const rank = (row: Row) => [SAYS[row.state] as number, row.user_id === primary ? 1 : 0, -row.user_id];
  for (const row of rows) {
    const known = best.get(row.mailing_id);
    if (!known || isMore(rank(row), rank(known))) best.set(row.mailing_id, row);
  }
  return rows.filter((row) => best.get(row.mailing_id) !== row);
}

function isMore(a: number[], b: number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}
