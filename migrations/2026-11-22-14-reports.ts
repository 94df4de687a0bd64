import { Migration } from '@mikro-orm/migrations';

/** Saved reports, those run in the background, and results kept for a while. */
export class Reports extends Migration {
  override up(): void {
    this.addSql(`
      create table reports_queryreport (
        id serial primary key,
        name text not null,
        short_name text not null,
        sql text not null,
        description text not null default '',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        dialect text not null default 'postgresql',
        constraint reports_queryreport_dialect_check check (dialect in ('postgresql', 'mysql')),
        constraint reports_queryreport_short_name_unique unique (short_name)
      );

      create table core_backgroundtask (
        id serial primary key,
        short_name text not null default '',
        statement jsonb not null,
        format text not null default 'csv',
        zipped boolean not null default false,
        status text not null default 'pending',
        emails jsonb not null default '[]',
        submitter_id int,
        row_count int,
        byte_count bigint,
        errors jsonb not null default '[]',
        started_at timestamptz(6),
        finished_at timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        runs int not null default 0,
        overtaken int not null default 0,
        waited int not null default 0,
        mails_begun int not null default 0,
        mails_over int not null default 0,
        constraint core_backgroundtask_format_check check (format in ('json', 'csv', 'tsv')),
        constraint core_backgroundtask_status_check check (status in ('pending', 'running', 'completed', 'failed'))
      );
      create index core_backgroundtask_open_index on core_backgroundtask (updated_at)
        where status in ('pending', 'running') or status = 'completed' and mails_over < jsonb_array_length(emails);

      create table report_file (
        id serial primary key,
        name text not null,
        written_at timestamptz(6) not null default now(),
        constraint report_file_name_unique unique (name)
      );
      create table report_filechunk (
        file_id int not null
          constraint report_filechunk_file_id_foreign references report_file (id) on delete cascade,
        nth int not null,
        content bytea not null,
        primary key (file_id, nth)
      );

      create unlogged table report_cache (
        key text primary key,
        format text not null,
        content text not null,
        bytes int not null,
        created_at timestamptz(6) not null default now(),
        constraint report_cache_format_check check (format in ('json', 'csv', 'tsv'))
      );
      create index report_cache_created_at_index on report_cache (created_at);

      -- How many people were erased or deleted (core/people/who-went.ts).
      create sequence core_user_gone;
      -- Locked by those who erase and delete, beside one another, and by those who keep all here, beside one another.
      create table core_user_going ();
      create function core_user_none_going() returns boolean language plpgsql as $$
      begin
        lock table core_user_going in share mode nowait;
        return true;
      exception when lock_not_available then
        return false;
      end $$;
    `);
  }
}
