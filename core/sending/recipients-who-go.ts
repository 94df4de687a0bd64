// Long: one person's places in four tables, and the rules of each.

import type { Sql } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { edit } from './edits.ts';

// What becomes of somebody's places in mailings when they are deleted, erased, or merged with somebody else. A place that a shard covers is counted (in the shard,
// in tallies, in what is expected), so it stays, whatever becomes of the person; a place in a set that has not been begun goes, and the set's size with it.

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

/** Somebody's place in a mailing. */
interface Place {
  mailing_id: number;
  position: number;
  user_id: number;
  state: number;
}

/** One in a set: its block, and its shard once the mailing has begun. */
interface OpenPlace extends Place {
  first: number;
  shard: number | null;
  detail: string | null;
}

interface CoveredPlace extends OpenPlace {
  shard: number;
}

const covered = (place: OpenPlace): place is CoveredPlace => place.shard !== null;

/** The blocks some of these people stand in. */
const BLOCKS = `
  select b.mailing_id, b.first, u.id as user_id, b.first + array_position(b.user_ids, u.id) - 1 as position
  from unnest($1::int[]) as u (id) join send_set b on u.id between b.least_user and b.most_user and u.id = any(b.user_ids)`;

/**
 * Where these people stand in sets, with the shards of their places held until the end of the transaction: no worker writes about them meanwhile, and nobody begins,
 * rebuilds at begin or settles a mailing in which they stand, so that whether a shard covers a place stays as it is. Other changes to a mailing need not wait.
 */
async function holdPlaces(sql: Sql, userIds: number[]): Promise<OpenPlace[]> {
  await sql(
    `select id from core_mailing where id in (select mailing_id from (${BLOCKS}) b union select mailing_id from send_exception where user_id = any($1::int[])
     union select mailing_id from send_accepted where user_id = any($1::int[])) order by id for key share`,
    [userIds],
  );
  await sql(
    `select from send_shard s join (${BLOCKS}) b on b.mailing_id = s.mailing_id and b.position between s.from_position and s.to_position
     where not s.finished order by s.mailing_id, s.shard for update of s`,
    [userIds],
  );
  // As they are now that they are held. Place by place: joined, the whole of every open set would be read meanwhile (place-of.ts).
  return sql<OpenPlace>(
    `with b as materialized (${BLOCKS})
     select b.mailing_id, b.first, b.position, b.user_id, s.shard, o.detail, coalesce(o.state, ${pending}) as state
     from b left join send_shard s on s.mailing_id = b.mailing_id and b.position between s.from_position and s.to_position
       left join lateral (select state, detail from send_open o where o.mailing_id = s.mailing_id and o.shard = s.shard and o.position = b.position offset 0) o on true
     order by b.mailing_id, s.shard, b.position`,
    [userIds],
  );
}

/** Who waits is skipped, for a reason. */
const skip = (sql: Sql, place: CoveredPlace, reason: string) =>
  edit(sql, place, [{ position: place.position, state: skipped, detail: reason }], { skipped: 1 });

/**
 * The words of a place are forgotten, also those of earlier passes that put it off: the log keeps them until its shard is finished. The empty text, unlike null, says of a mail on its
 * way that the relay's answer, yet to come, is not to be kept either.
 */
async function forgetWords(sql: Sql, place: CoveredPlace): Promise<void> {
  const { mailing_id: mailingId, shard, position, state } = place;
  await sql(
    `update send_log set details = (select array_agg(case when position = $3 then null else detail end order by n)
       from unnest(positions, details) with ordinality as e (position, detail, n))
     where mailing_id = $1 and shard = $2 and $3 = any(positions)`,
    [mailingId, shard, position],
  );
  if (state === sending) await edit(sql, place, [{ position, state, detail: '' }]);
  // Who is about to write the record has read them already.
  else if (place.detail !== null) await edit(sql, place, []);
}

/** Of somebody who goes: who waits is skipped, for a reason, and no words are kept. */
async function settleGone(sql: Sql, place: CoveredPlace, reason: string): Promise<void> {
  await forgetWords(sql, place);
  if (place.state === pending) await skip(sql, place, reason);
}

/** Another number stands at a place from now on; whoever holds its shard looks again. */
async function rename(sql: Sql, place: OpenPlace, user: number): Promise<void> {
  await sql(
    `update send_set set user_ids[$3::int - first + 1] = $4, least_user = case when $4 > 0 then least(least_user, $4) else least_user end, most_user = greatest(most_user, $4)
     where mailing_id = $1 and first = $2`,
    [place.mailing_id, place.first, place.position, user],
  );
  if (covered(place)) await edit(sql, place, []);
}

/**
 * Takes places out of sets that have not been begun. A mailing that was sent in part, and built anew since, expects one less; one that was never sent expects
 * nobody yet.
 */
async function leaveSets(sql: Sql, places: OpenPlace[]): Promise<void> {
  for (const place of places) {
    await rename(sql, place, 0);
    await sql('update core_mailing set saved_count = saved_count - 1, expected_send_count = expected_send_count - 1 where id = $1', [
      place.mailing_id,
    ]);
  }
}

/** Somebody who is counted becomes nobody: no other place of the mailing has that number. */
async function becomeNobody(sql: Sql, place: CoveredPlace, reason: string): Promise<void> {
  await settleGone(sql, place, reason);
  await rename(sql, place, -place.position);
}

/** The same in the record. @param which SQL: of table `r` */
async function becomeNobodyInRecord(sql: Sql, which: string, values: unknown[]): Promise<void> {
  await sql(`update send_accepted r set user_id = -position where ${which}`, values);
  await sql(`update send_exception r set user_id = -position, detail = null where ${which}`, values);
}

/** Before a user is deleted: who waits is skipped; places that are counted stay and name nobody. */
export async function removeRecipient(sql: Sql, userId: number): Promise<void> {
  const places = await holdPlaces(sql, [userId]);
  for (const place of places.filter(covered)) await becomeNobody(sql, place, 'this user no longer exists');
  await leaveSets(
    sql,
    places.filter((place) => !covered(place)),
  );
  await becomeNobodyInRecord(sql, 'r.user_id = $1', [userId]);
}

/** A user is being erased: who waits is skipped, and what relays said of them is forgotten, also what they are yet to say. */
export async function eraseRecipient(sql: Sql, userId: number): Promise<void> {
  for (const place of (await holdPlaces(sql, [userId])).filter(covered)) await settleGone(sql, place, 'this user was erased');
  await sql('update send_exception set detail = null where user_id = $1', [userId]);
}

/** Takes people who are gone from mailings that exclude them now: those waiting in a set that is being sent are skipped. */
export async function excludeRecipient(sql: Sql, userId: number, mailingIds: number[]): Promise<void> {
  const places = (await holdPlaces(sql, [userId])).filter((place) => mailingIds.includes(place.mailing_id) && place.state === pending);
  for (const place of places.filter(covered)) await skip(sql, place, 'this user was merged with one whom the mailing excludes');
  await leaveSets(
    sql,
    places.filter((place) => !covered(place)),
  );
}

/**
 * The mails of merged users become the primary's. Of several places in one mailing the one that says most does. The others go where the set has not been
 * begun; where it has, they stay, named after nobody, so that sums come out: who waits is skipped, what is on the wire ends as it may.
 * @returns the mailings in whose sets the primary has a place now that was a merged user's
 */
export async function mergeRecipients(sql: Sql, primary: number, merged: number[]): Promise<number[]> {
  const all = [primary, ...merged];
  const open = await holdPlaces(sql, all);
  const recorded = await sql<Place>(
    `select mailing_id, position, user_id, ${LEDGER_STATE.accepted} as state from send_accepted where user_id = any($1::int[])
     union all select mailing_id, position, user_id, state from send_exception where user_id = any($1::int[])`,
    [all],
  );
  const others = losers([...open, ...recorded], primary);
  for (const place of open) {
    if (!others.has(place)) {
      if (place.user_id !== primary) await rename(sql, place, primary);
    } else if (covered(place)) await becomeNobody(sql, place, MERGED);
    else await leaveSets(sql, [place]);
  }
  const gone = recorded.filter((place) => others.has(place));
  // By people first, which is the key: places alone of more than a few mailings have the whole record read.
  await becomeNobodyInRecord(
    sql,
    'r.user_id = any($1::int[]) and (r.mailing_id, r.position) in (select * from unnest($2::int[], $3::int[]))',
    [all, gone.map((place) => place.mailing_id), gone.map((place) => place.position)],
  );
  for (const table of ['send_accepted', 'send_exception']) {
    await sql(`update ${table} set user_id = $1 where user_id = any($2::int[])`, [primary, merged]);
  }
  // A set that somebody has a new place in is not what its targeting says by itself: it is no base of a fast build any more.
  const moved = open.filter((place) => place.user_id !== primary && !others.has(place)).map((place) => place.mailing_id);
  await sql('update targeting_base set built = false where mailing_id = any($1::int[])', [moved]);
  return moved;
}

/** All places of each mailing but the one that says most; of equals the primary's stays, else the older user's. */
function losers(places: Place[], primary: number): Set<Place> {
  const best = new Map<number, Place>();
  const rank = (place: Place) => [SAYS[place.state] as number, place.user_id === primary ? 1 : 0, -place.user_id];
  for (const place of places) {
    const known = best.get(place.mailing_id);
    if (!known || isMore(rank(place), rank(known))) best.set(place.mailing_id, place);
  }
  return new Set(places.filter((place) => best.get(place.mailing_id) !== place));
}

function isMore(a: number[], b: number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}
