import { Migration } from '@mikro-orm/migrations';

/** Files of users on their way in. Their lines wait in blocks, each a transaction's worth: a million of them are a few hundred rows. */
export class Uploads extends Migration {
  override up(): void {
    this.addSql(`
      create table core_upload (
        id serial primary key,
        page_id int not null
          constraint core_upload_page_id_foreign references core_page (id) on delete cascade,
        filename text not null default '',
        autocreate_user_fields boolean not null default false,
        user_fields_only boolean not null default false,
        status text not null default 'new',
        stop_requested boolean not null default false,
        columns jsonb not null default '[]',
        line_count int,
        progress int not null default 0,
        error_count int not null default 0,
        started_at timestamptz(6),
        finished_at timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_upload_status_check check (status in ('new', 'importing', 'completed', 'stopped', 'died'))
      );
      create index core_upload_open_index on core_upload (updated_at) where status in ('new', 'importing');
      create index core_upload_page_id_index on core_upload (page_id);

      create table core_uploadblock (
        upload_id int not null,
        lane int not null,
        nth int not null,
        lines text not null,
        primary key (upload_id, lane, nth)
      );

      create table core_uploaderror (
        id serial primary key,
        upload_id int not null
          constraint core_uploaderror_upload_id_foreign references core_upload (id) on delete cascade,
        line int not null,
        message text not null default '',
        created_at timestamptz(6) not null default now()
      );
      create index core_uploaderror_upload_index on core_uploaderror (upload_id, line);

      create table core_uploaddraft (
        id serial primary key,
        account_id int not null
          constraint core_uploaddraft_account_id_foreign references auth_user (id) on delete cascade,
        filename text not null default '',
        columns jsonb not null default '[]',
        page_id int
          constraint core_uploaddraft_page_id_foreign references core_page (id) on delete set null,
        autocreate_user_fields boolean not null default false,
        created_at timestamptz(6) not null default now()
      );
      create index core_uploaddraft_account_id_index on core_uploaddraft (account_id);
      create index core_uploaddraft_page_id_index on core_uploaddraft (page_id);

      create table core_uploaddraftpart (
        draft_id int not null
          constraint core_uploaddraftpart_draft_id_foreign references core_uploaddraft (id) on delete cascade,
        nth int not null,
        content bytea not null,
        primary key (draft_id, nth)
      );
      alter table core_uploaddraftpart alter column content set storage external;
    `);
  }
}
