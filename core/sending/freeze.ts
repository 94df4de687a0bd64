import type { PoolClient } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import type { MailingContent } from '../../mail/contracts.ts';
import type { FrozenRun } from './content.ts';
import { keepEarlierRun } from './earlier-runs.ts';
import { tallyAnew } from './tally.ts';
import { readTracked, type TrackingSettings } from './tracked.ts';

const COUNT = `
  select targeted, targeted - settled as pending, accepted from
    (select coalesce(sum(targeted), 0)::int as targeted from send_tally where mailing_id = $1) t,
    (select coalesce(sum(accepted + failed + skipped + uncertain), 0)::int as settled, coalesce(sum(accepted), 0)::int as accepted
      from send_shard where mailing_id = $1) s`;

/** What a run frozen earlier still has before it. */
export async function readRun(
  db: PoolClient,
  mailingId: number,
): Promise<{ pending: number; accepted: number; targeted: number; rate: number | null; reasons: string[] }> {
  const { rows: runs } = await db.query('select rate from send_run where mailing_id = $1', [mailingId]);
  const { rows } = await db.query(COUNT, [mailingId]);
  return { ...rows[0], rate: runs[0].rate, reasons: [] };
}

/**
 * Makes the content's links and its open pixel lead through us and stores where each link goes. Links keep their numbers when a stopped mailing is edited
 * and queued again: mails that are out already point to them.
 */
export async function trackContent(db: PoolClient, run: FrozenRun, settings: TrackingSettings): Promise<MailingContent> {
  const { content, known, urls } = await readTracked(db, run, settings);
  await db.query(
    `insert into core_mailinglink (mailing_id, number, url) select $1, $2 + n - 1, url from unnest($3::text[]) with ordinality as l(url, n)`,
    [content.mailingId, known, urls.slice(known)],
  );
  return content;
}

/**
 * Freezes content and rate and cuts what is pending into shards. A mailing that goes on after a stop keeps its shards and counters; recipients a
 * rebuild has added lie behind them and get shards of their own.
 * @returns how many are still to be sent, how many were accepted by earlier runs, and how many recipients there are in all
 */
export async function writeRun(
  db: PoolClient,
  mailingId: number,
  run: FrozenRun,
  rate: number | null,
  shardSize: number,
): Promise<{ pending: number; accepted: number; targeted: number }> {
  await nameMerged(db, mailingId);
  await keepEarlierRun(db, mailingId, run);
  await db.query(
    `insert into send_run (mailing_id, content, rate, accepted_before)
      values ($1, $2, $3, (select coalesce(sum(accepted), 0) from send_shard where mailing_id = $1))
      on conflict (mailing_id) do update set content = excluded.content, rate = excluded.rate, started_at = now(), accepted_before = excluded.accepted_before,
        ended = false, lost_commits = false`,
    [mailingId, JSON.stringify(run), rate],
  );
  await db.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to)
       select $1, have.shards + n, first + n * $2, least(last, first + (n + 1) * $2 - 1), first + n * $2 - 1
       from (select count(*)::int as shards, coalesce(max(to_position), 0) as covered from send_shard where mailing_id = $1) have,
         lateral (select min(first) as first, max(first + cardinality(user_ids) - 1) as last from send_set where mailing_id = $1 and first > have.covered) span,
         generate_series(0, (last - first) / $2) n
       where first is not null`,
    [mailingId, shardSize],
  );
  await tallyAnew(sqlOn(db), mailingId);
  const { rows } = await db.query(COUNT, [mailingId]);
  return rows[0];
}

/**
 * Of people who were merged while the set was being built neither the merge nor the build has seen what the other wrote: the set may name somebody who is no more, or
 * somebody who has been mailed under their other name, or twice. They stand in it as who they have become, at their first place, or at none where the record has them or the
 * mailing excludes them by name.
 */
async function nameMerged(db: PoolClient, mailingId: number): Promise<void> {
  const { rows } = await db.query<{ users: number[] | null }>(
    `select array_agg(distinct u.id) as users from core_mailingrebuild j
       join core_usermerge m on m.updated_at between j.created_at - interval '1 hour' and j.finished_at + interval '1 hour' and m.status = 'complete',
       lateral (select m.primary_user as id union select each::int from jsonb_array_elements_text(m.users) each) u
     where j.mailing_id = $1`,
    [mailingId],
  );
  const { users } = rows[0]!;
  // Nearly always; a set of millions is not gone through for it.
  if (users === null) return;
  await holdPresent(db, users);
  await db.query(
    // Whom they were merged into since may stand in the set by themselves.
    `with known as materialized (
       select distinct unnest(array[id, present]) as id, present
       from (select id, coalesce(core_present_user(id), id) as present from unnest($2::int[]) as id) named),
     excluded as (select each::int as id from core_mailing, jsonb_array_elements_text(excludes -> 'users') each where core_mailing.id = $1),
     place as (
       select b.first, b.first + n - 1 as position, row_number() over (partition by present order by b.first + n) as nth, user_id, present
       from send_set b, unnest(b.user_ids) with ordinality u (user_id, n) join known on id = user_id
       where b.mailing_id = $1 and exists (select from known where id between b.least_user and b.most_user)),
     told as (
       select first, position, case when nth > 1 or exists (select from send_accepted r where r.user_id = p.present and r.mailing_id = $1)
         or exists (select from send_exception r where r.user_id = p.present and r.mailing_id = $1) or present in (select id from excluded) then 0 else present end as present
       from place p where position > (select coalesce(max(to_position), 0) from send_shard where mailing_id = $1))
     update send_set b set user_ids = (
         select array_agg(coalesce(told.present, user_id) order by n)
         from unnest(b.user_ids) with ordinality u (user_id, n) left join told on told.position = b.first + n - 1),
       least_user = least(least_user, least), most_user = greatest(most_user, most)
     from (select first, min(present) filter (where present > 0) as least, max(present) as most from told group by 1) changed
     where b.mailing_id = $1 and b.first = changed.first`,
    [mailingId, users],
  );
}

/**
 * Holds who people have become until we have begun: a merge of this moment that takes one of them away does not find them in the set, where they stand under their old number. It waits
 * for us then, or we for it.
 */
async function holdPresent(db: PoolClient, users: number[]): Promise<void> {
  for (;;) {
    const present = await db.query<{ id: number }>(
      'select distinct core_present_user(id) as id from unnest($1::int[]) as u (id) where core_present_user(id) is not null',
      [users],
    );
    const held = await db.query('select from core_user where id = any($1::int[]) order by id for key share', [
      present.rows.map(({ id }) => id),
    ]);
    // Where one was taken away while we waited, they have become somebody else by now.
    if (held.rowCount === present.rowCount) return;
  }
}
