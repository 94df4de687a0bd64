import type { Sql } from '../../db/sql.ts';
import { ADDRESS_COLUMNS } from '../../domain/people/address.ts';
import { tooMuch } from '../../domain/people/field-room.ts';
import { type Lists, mergedLists } from '../../domain/people/merged-lists.ts';
import { mergeMappings } from '../crm/mapping-status.ts';
import { keepErasedContacts } from '../crm/partner/erased.ts';
import { mergeNamedUsers } from '../mailings/merge-named-users.ts';
import { mergeRecipients } from '../sending/recipients-who-go.ts';
import { BELONGINGS, type Belonging, changed } from './belongings.ts';
import { heldOf } from './custom-fields.ts';
import { eraseWaitsFor, isErased } from './erased.ts';
import { keepFormerAddresses } from './former-addresses.ts';
import { mergeSubscriptions } from './subscribing.ts';
import { completeMerge, UserJobError } from './user-job-status.ts';

/** Which users to merge into which, and what of whom is kept. Ids of users, but for `lists`. */
export interface MergeWish {
  primary_user: number;
  users: number[];
  address_user: number;
  source_user: number;
  sms_user: number | null;
  /** Null: all but the re-engagement list. */
  lists: number[] | null;
}

/**
 * Merges the users of a job, all of it in the transaction `sql` runs in: whoever looks sees either all of the old or all of the new. Only rows of
 * the users concerned are locked, so nobody else waits. Done already, it does nothing.
 * @throws UserJobError
 */
export async function mergeUsers(sql: Sql, jobId: number): Promise<void> {
  const [job] = await sql<MergeWish>(
    `select primary_user, users, address_user, source_user, sms_user, lists from core_usermerge where id = $1 and status = 'pending' for update`,
    [jobId],
  );
  if (!job) return;
  const primary = job.primary_user;
  const merged = job.users.filter((id) => id !== primary);
  const all = [primary, ...merged];
  const held = await sql<{ id: number; subscription_status: string }>(
    'select id, subscription_status from core_user where id = any($1::int[]) order by id for update',
    [all],
  );
  const gone = all.filter((id) => !held.some((row) => row.id === id));
  if (gone.length > 0) throw new UserJobError(`There is no user ${gone.join(', ')} any more.`);
  // Whoever became that one would be mailed no more, and what names them would stand under somebody of whom nothing is kept.
  if (await isErased(sql, primary)) throw new UserJobError(`User ${primary} was erased.`);
  // Who asked to be erased may have been told that it is so: the erasure would find nobody, and what there is of them stay under another.
  const waiting = await eraseWaitsFor(sql, all);
  if (waiting !== null) throw new UserJobError(`User ${waiting} is to be erased.`);

  const lists = await listsOfMerge(sql, primary, merged);
  await keepErasedContacts(sql, merged);
  for (const belonging of BELONGINGS) await moveBelonging(sql, belonging, primary, merged);
  await keepFormerAddresses(sql, primary, merged);
  await addTracked(sql, primary, merged);
  await keepAddress(sql, primary, job.address_user);
  if (job.source_user !== primary) {
    await sql('update core_user u set source = s.source from core_user s where u.id = $1 and s.id = $2', [primary, job.source_user]);
  }
  await mergeMappings(sql, primary, merged);
  await keepFields(sql, primary, job.users);
  await keepPhones(sql, primary, merged, job.sms_user);
  await mergeSubscriptions(sql, { primary, merged, listIds: mergedLists(lists, job.lists) });
  const wereOnLists = held.some((row) => row.subscription_status !== 'never');
  await sql(
    `update core_user set updated_at = now(),
       subscription_status = case when subscription_status = 'never' and $2 then 'unsubscribed' else subscription_status end where id = $1`,
    [primary, wereOnLists],
  );
  // Late, since workers on their mailings wait from here on.
  const moved = await mergeRecipients(sql, primary, merged);
  await mergeNamedUsers(sql, primary, merged, moved);
  await sql('delete from core_user where id = any($1::int[])', [merged]);
  await completeMerge(sql, jobId);
}

/** The lists of who stays and of who goes. */
export async function listsOfMerge(sql: Sql, primary: number, merged: number[]): Promise<Lists> {
  const rows = await sql<{ user_id: number; list_id: number; is_reengagement: boolean }>(
    `select s.user_id, s.list_id, l.is_reengagement from core_subscription s join core_list l on l.id = s.list_id
     where s.user_id = any($1::int[]) order by s.list_id`,
    [[primary, ...merged]],
  );
  const idsOf = (chosen: typeof rows) => [...new Set(chosen.map(({ list_id: id }) => id))];
  return {
    primary: idsOf(rows.filter(({ user_id: user }) => user === primary)),
    merged: idsOf(rows.filter(({ user_id: user }) => user !== primary)),
    reengagement: rows.find(({ is_reengagement: is }) => is)?.list_id ?? null,
  };
}

async function moveBelonging(
  sql: Sql,
  { table, column, through, by, merge, shown }: Belonging,
  primary: number,
  merged: number[],
): Promise<void> {
  if (through || merge === 'keep' || merge === 'byHand') return;
  if (by === 'email') {
    await sql(
      `update ${table} x set ${column} = p.email from core_user p, core_user m where p.id = $1 and m.id = any($2::int[]) and lower(x.${column}) = lower(m.email)`,
      [primary, merged],
    );
    return;
  }
  if (merge === 'drop') {
    await sql(`delete from ${table} where ${column} = any($1::int[])`, [merged]);
    return;
  }
  if (merge !== 'move') {
    const { unlessThere, rank = '0' } = merge;
    const keys = unlessThere.map((key) => `x.${key}`);
    const partition = keys.length > 0 ? `partition by ${keys.join(', ')}` : '';
    // Rows in which a key is null are equal to none.
    await sql(
      `delete from ${table} where ${column} = any($1::int[]) and ctid in (
         select place from (select x.ctid as place,
             row_number() over (${partition} order by ${rank} desc, (x.${column} = $2) desc, x.${column}) as nth
           from ${table} x where x.${column} = any($1::int[]) ${keys.map((key) => `and ${key} is not null`).join(' ')}) ranked
         where nth > 1)`,
      [[primary, ...merged], primary],
    );
  }
  await sql(`update ${table} set ${column} = $1${changed(shown)} where ${column} = any($2::int[])`, [primary, merged]);
}

/** What they all did with a mailing is what one person did: single events move, and these are their counts. */
async function addTracked(sql: Sql, primary: number, merged: number[]): Promise<void> {
  const counts = ['opens', 'raw_opens', 'clicks', 'raw_clicks'];
  await sql(
    `with gone as (delete from core_trackedrecipient where user_id = any($2::int[]) returning *)
     insert into core_trackedrecipient as r (mailing_id, user_id, ${counts.join(', ')})
     select mailing_id, $1::int, ${counts.map((count) => `sum(${count})`).join(', ')} from gone group by mailing_id order by mailing_id
     on conflict (mailing_id, user_id) do update set ${counts.map((count) => `${count} = r.${count} + excluded.${count}`).join(', ')}`,
    [primary, merged],
  );
}

async function keepAddress(sql: Sql, primary: number, addressUser: number): Promise<void> {
  if (addressUser === primary) return;
  const columns = ADDRESS_COLUMNS.map((column) => `${column} = a.${column}`).join(', ');
  await sql(`update core_user u set ${columns} from core_user a where u.id = $1 and a.id = $2`, [primary, addressUser]);
  for (const [table, shown] of [
    ['core_location', true],
    ['core_user_original', false],
  ] as const) {
    await sql(`delete from ${table} where user_id = $1`, [primary]);
    await sql(`update ${table} set user_id = $1${changed(shown)} where user_id = $2`, [primary, addressUser]);
  }
}

/** The primary's fields stay; names it lacks come from the first merged user who has them. @throws UserJobError */
async function keepFields(sql: Sql, primary: number, users: number[]): Promise<void> {
  const before = await heldOf(sql, 'core_userfield', primary, { names: [] });
  for (const user of users) {
    await sql(
      `update core_userfield f set parent_id = $1 where f.parent_id = $2
         and not exists (select from core_userfield mine where mine.parent_id = $1 and mine.name = f.name)`,
      [primary, user],
    );
  }
  const after = await heldOf(sql, 'core_userfield', primary, { names: [] });
  const wrong = tooMuch(after.others, before.others, { values: 0, bytes: 0 });
  if (wrong !== null) throw new UserJobError(`A person has ${wrong}; with those of the others the primary user would have more.`);
}

/** Every number once. With an `sms_user`, the mobile numbers of the others go: messages are sent to that one's. */
async function keepPhones(sql: Sql, primary: number, merged: number[], smsUser: number | null): Promise<void> {
  if (smsUser !== null) {
    await sql(`delete from core_phone where user_id = any($1::int[]) and user_id <> $2 and type = 'mobile'`, [
      [primary, ...merged],
      smsUser,
    ]);
  }
  const same = { table: 'core_phone', column: 'user_id', delete: 'cascade', shown: true, erase: 'keep' } as const;
  await moveBelonging(sql, { ...same, merge: { unlessThere: ['normalized_phone', 'type'] } }, primary, merged);
}
