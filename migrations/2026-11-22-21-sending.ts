import { Migration } from '@mikro-orm/migrations';

/**
 * The send ledger, written once: what was frozen when a mailing began, the set in blocks, shards and what their turns say, the record when a shard is finished, results by subject, and
 * the views that show the recipients as one (docs/sending-guarantees.md).
 */
export class Sending extends Migration {
  override up(): void {
    this.addSql(`
      create table send_run (
        mailing_id int primary key
          constraint send_run_mailing_id_foreign references core_mailing (id) on update cascade on delete cascade,
        content jsonb not null,
        rate double precision,
        started_at timestamptz(6) not null default now(),
        accepted_before int not null default 0,
        ended boolean not null default false,
        lost_commits boolean not null default false
      );
      create index send_run_shows_reports_index on send_run (mailing_id) where content #> '{content,reports}' <> '{}';

      -- What was sent until the mailing went on with something else.
      create table send_earlier_run (
        mailing_id int not null
          constraint send_earlier_run_mailing_id_foreign references core_mailing (id) on delete cascade,
        ended_at timestamptz(6) not null,
        content jsonb not null,
        primary key (mailing_id, ended_at)
      );
      create index send_earlier_run_shows_reports_index on send_earlier_run (mailing_id) where content #> '{content,reports}' <> '{}';

      create table send_set (
        mailing_id int not null,
        first int not null,
        least_user int not null,
        most_user int not null,
        user_ids int[] not null,
        primary key (mailing_id, first)
      );
      create index send_set_users on send_set (least_user, most_user);
      -- A block of a thousand is half a page: in place, as it is, it is read without a detour.
      alter table send_set alter column user_ids set storage plain;

      -- Each commit changes a row: the new version stays on its page and touches no index.
      create table send_shard (
        mailing_id int not null,
        shard int not null,
        from_position int not null,
        to_position int not null,
        claimed_to int not null,
        pass int not null default 1,
        pass_seq int not null default 0,
        not_before timestamptz(6),
        fence bigint not null default '0',
        seq int not null default 0,
        held_until timestamptz(6),
        finished boolean not null default false,
        accepted int not null default 0,
        failed int not null default 0,
        skipped int not null default 0,
        uncertain int not null default 0,
        deferred int not null default 0,
        throttled_at timestamptz(6),
        primary key (mailing_id, shard)
      ) with (fillfactor = 20);
      create index send_shard_open_index on send_shard (mailing_id) where not finished;

      create table send_log (
        mailing_id int not null,
        shard int not null,
        seq int not null,
        at timestamptz(3) not null default now(),
        edit boolean not null default false,
        accepted int[],
        positions int[],
        states smallint[],
        details text[],
        primary key (mailing_id, shard, seq)
      );

      create table send_accepted (
        user_id int not null,
        mailing_id int not null,
        position int not null,
        sent_second int not null,
        primary key (user_id, mailing_id)
      );
      create index send_accepted_place on send_accepted using brin (mailing_id, position) with (pages_per_range = 32, autosummarize = on);

      create table send_reached (
        id bigserial primary key,
        mailing_id int not null,
        words int[] not null,
        members bigint[] not null
      );
      create index send_reached_mailing_id_index on send_reached (mailing_id);

      create function send_reached_now() returns trigger language plpgsql as $$
      begin
        if tg_op = 'TRUNCATE' then
          truncate send_reached;
        elsif tg_op = 'DELETE' then
          delete from send_reached where mailing_id in (select mailing_id from gone);
          ${inWords('send_accepted where mailing_id in (select mailing_id from gone) and user_id > 0')};
        else
          ${inWords('reached where user_id > 0')};
        end if;
        return null;
      end $$;
      create trigger send_reached_more after insert on send_accepted referencing new table as reached
        for each statement execute function send_reached_now();
      create trigger send_reached_others after update on send_accepted referencing new table as reached
        for each statement execute function send_reached_now();
      create trigger send_reached_fewer after delete on send_accepted referencing old table as gone
        for each statement execute function send_reached_now();
      create trigger send_reached_none after truncate on send_accepted for each statement execute function send_reached_now();

      create table send_exception (
        mailing_id int not null,
        position int not null,
        user_id int not null,
        shard int not null,
        state smallint not null,
        changed_at timestamptz(3) not null,
        detail text,
        constraint send_exception_state_check check (state between 2 and 5),
        primary key (mailing_id, position),
        constraint send_exception_user_mailing_key unique (user_id, mailing_id)
      );
      create index send_exception_state on send_exception (mailing_id, state, position);

      create table send_tally (
        mailing_id int not null,
        shard int not null,
        place int not null,
        targeted int not null,
        accepted int not null,
        failed int not null,
        skipped int not null,
        uncertain int not null,
        primary key (mailing_id, shard, place)
      );

      create table send_timeline (
        mailing_id int not null,
        shard int not null,
        at timestamptz(0) not null,
        accepted int not null,
        primary key (mailing_id, shard, at)
      );

      -- The last word of the log about each position it names.
      create view send_said as
        select distinct on (l.mailing_id, l.shard, e.position) l.mailing_id, l.shard, e.position, e.state, l.at, e.detail, l.seq
        from send_log l, unnest(l.positions, l.states, l.details) as e (position, state, detail)
        order by l.mailing_id, l.shard, e.position, l.seq desc;

      -- Everybody whose record is not written: of shards under way, and of what no shard covers.
      create view send_open as
        select b.mailing_id, h.shard, b.first, p.position, p.user_id,
          (case when a.position is not null then 2 when e.position is not null then e.state when p.position <= h.claimed_to then 1 else 0 end)::smallint as state,
          coalesce(date_trunc('second', a.at), e.at)::timestamptz as changed_at, e.detail, e.seq as said, b.least_user, b.most_user, b.user_ids as among
        from send_shard h
          join send_set b on b.mailing_id = h.mailing_id and b.first > h.from_position - 1000 and b.first <= h.to_position
          cross join lateral (
            select greatest(b.first, h.from_position) + n::int - 1 as position, user_id
            from unnest(b.user_ids[greatest(h.from_position - b.first, 0) + 1 : h.to_position - b.first + 1]) with ordinality as u (user_id, n)) p
          left join (select mailing_id, shard, unnest(accepted) as position, at from send_log) a
            on a.mailing_id = h.mailing_id and a.shard = h.shard and a.position = p.position
          left join send_said e on e.mailing_id = h.mailing_id and e.shard = h.shard and e.position = p.position
        where not h.finished and p.user_id <> 0
        union all
        select b.mailing_id, null, b.first, b.first + u.n::int - 1, u.user_id, 0::smallint, null, null, null, b.least_user, b.most_user, b.user_ids
        from send_set b, unnest(b.user_ids) with ordinality as u (user_id, n)
        where u.user_id <> 0
          and b.first > coalesce((select h.to_position from send_shard h where h.mailing_id = b.mailing_id order by h.shard desc limit 1), 0);

      -- Everybody. Whoever looks for a user says so of the last three columns, too (core/sending/of-user.ts).
      create view send_record as
        select mailing_id, position, user_id, 2::smallint as state, to_timestamp(1577836800 + sent_second::float8) as changed_at, null::text as detail,
          user_id as least_user, user_id as most_user, null::int[] as among from send_accepted
        union all
        select mailing_id, position, user_id, state, changed_at::timestamptz, detail, user_id, user_id, null from send_exception
        union all
        select mailing_id, position, user_id, state, changed_at, detail, least_user, most_user, among from send_open;

      -- Sets that are emptied by hand are no base of fast rebuilds.
      create trigger send_set_emptied after truncate on send_set for each statement execute function targeting_emptied();
    `);
  }
}

/** Adds the people of these rows to `send_reached`, 64 a number. */
const inWords = (rows: string) => `
          insert into send_reached (mailing_id, words, members)
            select mailing_id, array_agg(word order by word), array_agg(members order by word) from (
              select mailing_id, user_id >> 6 as word, bit_or(1::bigint << (user_id & 63)) as members from ${rows} group by 1, 2) w group by 1`;
