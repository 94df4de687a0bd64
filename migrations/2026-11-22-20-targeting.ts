import { Migration } from '@mikro-orm/migrations';

const TABLES = ['core_subscription', 'core_location', 'core_order', 'core_action'];

const XACT = 'pg_current_xact_id()::text::bigint';

const trigger = (table: string, when: string, then: string) =>
  `create trigger ${table}_${then} after ${when} on ${table} ${when === 'delete' ? 'referencing old table as was_there ' : ''}for each statement execute function targeting_${then}();`;

/**
 * Rebuilds of audiences, and what fast ones go by (core/targeting/fast-rebuild.ts). New and changed rows are found by their xmin, at no cost for whoever
 * writes them; only rows that go leave a line, those of cascades too. Where rows go to another user or a table is emptied, the line says 0: everybody.
 */
export class Targeting extends Migration {
  override up(): void {
    this.addSql(`
      create table core_mailingrebuild (
        id serial primary key,
        mailing_id int not null
          constraint core_mailingrebuild_mailing_id_foreign references core_mailing (id) on delete cascade,
        targeting_version int not null,
        at_send boolean not null default false,
        fast boolean not null default false,
        was_fast boolean,
        tries int not null default 0,
        finished boolean not null default false,
        success boolean not null default false,
        results int,
        errors jsonb not null default '[]',
        created_at timestamptz(6) not null default now(),
        started_at timestamptz(6),
        finished_at timestamptz(6),
        account_id int
          constraint core_mailingrebuild_account_id_foreign references auth_user (id) on delete set null
      );
      create unique index core_mailingrebuild_running_key on core_mailingrebuild (mailing_id, at_send) where not finished;

      create table targeting_base (
        mailing_id int primary key
          constraint targeting_base_mailing_id_foreign references core_mailing (id) on update cascade on delete cascade,
        targeting_version int,
        horizon bigint not null,
        written_by bigint,
        built boolean not null default false,
        kept_at timestamptz(6) not null default now()
      );

      create table targeting_gone (
        id bigserial primary key,
        user_id int not null,
        gone_in bigint not null
      );

      create table targeting_going (
        of_table text not null,
        id int not null,
        primary key (of_table, id)
      );

      create function targeting_gone() returns trigger language plpgsql as $$
      begin
        insert into targeting_gone (user_id, gone_in) select distinct user_id, ${XACT} from was_there;
        return null;
      end $$;
      create function targeting_gone_user() returns trigger language plpgsql as $$
      begin
        insert into targeting_gone (user_id, gone_in) select id, ${XACT} from was_there;
        return null;
      end $$;
      create function targeting_gone_email() returns trigger language plpgsql as $$
      begin
        insert into targeting_gone (user_id, gone_in) select u.id, ${XACT} from was_there w join core_user u on lower(u.email) = w.email;
        return null;
      end $$;
      create function targeting_moved() returns trigger language plpgsql as $$
      begin
        insert into targeting_gone (user_id, gone_in) values (0, ${XACT});
        return null;
      end $$;
      create function targeting_emptied() returns trigger language plpgsql as $$
      begin
        insert into targeting_gone (user_id, gone_in) values (0, ${XACT});
        return null;
      end $$;

      ${TABLES.map((table) => trigger(table, 'delete', 'gone')).join('\n')}
      ${trigger('core_user', 'delete', 'gone_user')}
      ${trigger('core_blackholedemail', 'delete', 'gone_email')}
      ${TABLES.map((table) => trigger(table, 'update of user_id', 'moved')).join('\n')}
      ${trigger('core_blackholedemail', 'update of email', 'moved')}
      ${[...TABLES, 'core_user', 'core_blackholedemail'].map((table) => trigger(table, 'truncate', 'emptied')).join('\n')}
    `);
  }
}
