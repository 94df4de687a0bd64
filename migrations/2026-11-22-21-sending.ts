import { Migration } from '@mikro-orm/migrations';

/** What was frozen when a mailing began, the ledger of its recipients in shards, results by subject, and the archive of old ledgers. */
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
        compacted_at timestamptz(6)
      );

      -- Room on each page for the new version of a row whose state changes (two changes in its life): they stay on the page and touch no index.
      create table send_ledger (
        mailing_id int not null,
        position int not null,
        user_id int not null,
        state smallint not null default 0,
        changed_at timestamptz(3),
        detail text,
        constraint send_ledger_state_check check (state between 0 and 5),
        primary key (mailing_id, position),
        constraint send_ledger_user_mailing_key unique (user_id, mailing_id)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

      create table send_shard (
        mailing_id int not null,
        shard int not null,
        from_position int not null,
        to_position int not null,
        claimed_to int not null,
        pass int not null default 1,
        not_before timestamptz(6),
        fence bigint not null default '0',
        held_until timestamptz(6),
        finished boolean not null default false,
        accepted int not null default 0,
        failed int not null default 0,
        skipped int not null default 0,
        uncertain int not null default 0,
        deferred int not null default 0,
        throttled_at timestamptz(6),
        pass_began timestamptz(6) not null default now(),
        primary key (mailing_id, shard)
      ) with (fillfactor = 20);

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

      -- Where the rows of old ledgers go that say nothing but "accepted", and what reads them together with the others.
      create table send_archive (
        user_id int not null,
        mailing_id int not null,
        position int not null,
        sent_second int not null,
        primary key (user_id, mailing_id)
      );
      create index send_archive_mailing_range on send_archive using brin (mailing_id) with (pages_per_range = 64, autosummarize = on);
      create view send_record as
        select mailing_id, position, user_id, state, changed_at::timestamptz as changed_at, detail from send_ledger
        union all
        select mailing_id, position, user_id, 2::smallint, to_timestamp(1577836800 + sent_second::float8), null::text from send_archive;

      -- A row whose person goes gets a number below 0 in place of theirs (core/sending/recipients-who-go.ts). That changes nobody else's targeting, so fast
      -- rebuilds need not begin anew because of it, as they do when rows go to another user.
      create trigger send_ledger_moved after update of user_id on send_ledger for each row when (new.user_id > 0 and new.user_id <> old.user_id)
        execute function targeting_moved();
      create trigger send_ledger_emptied after truncate on send_ledger for each statement execute function targeting_emptied();
    `);
  }
}
