import { Migration } from '@mikro-orm/migrations';

/** Logins of staff and of client programs, their groups and grants, sessions at the console, and who wrote what. */
export class Accounts extends Migration {
  override up(): void {
    this.addSql(`
      create table auth_group (
        id serial primary key,
        name text not null,
        grants jsonb not null default '[]',
        constraint auth_group_name_unique unique (name)
      );

      create table auth_user (
        id serial primary key,
        username text not null,
        password text not null,
        first_name text not null default '',
        last_name text not null default '',
        email text not null default '',
        is_staff boolean not null default false,
        is_active boolean not null default true,
        is_superuser boolean not null default false,
        last_login timestamptz(6),
        date_joined timestamptz(6) not null default now(),
        constraint auth_user_username_unique unique (username)
      );

      create table auth_user_groups (
        auth_user_id int not null
          constraint auth_user_groups_auth_user_id_foreign references auth_user (id) on update cascade on delete cascade,
        auth_group_id int not null
          constraint auth_user_groups_auth_group_id_foreign references auth_group (id) on update cascade on delete cascade,
        primary key (auth_user_id, auth_group_id)
      );

      create table auth_consolesession (
        token_hash text primary key,
        user_id int not null
          constraint auth_consolesession_user_id_foreign references auth_user (id) on delete cascade,
        password_digest text not null,
        created_at timestamptz(6) not null default now(),
        expires_at timestamptz(6) not null
      );
      create index auth_consolesession_expires_at_index on auth_consolesession (expires_at);
      create index auth_consolesession_user_id_index on auth_consolesession (user_id);

      create unlogged table auth_failure (
        key bytea primary key,
        count int not null,
        until timestamptz(6) not null
      );
      create index auth_failure_until_index on auth_failure (until);

      create table core_auditlog (
        id serial primary key,
        created_at timestamptz(6) not null default now(),
        account_id int not null,
        username text not null default '',
        method text not null default '',
        path text not null default '',
        location text not null default '',
        fields jsonb not null default '[]',
        status smallint not null
      );
      create index core_auditlog_account_index on core_auditlog (account_id, created_at);
      create index core_auditlog_created_at_index on core_auditlog (created_at, id);
      -- What begins with a path is looked for, too, whatever the database is sorted by.
      create index core_auditlog_path_index on core_auditlog (path text_pattern_ops, created_at);

      -- Groups of lines of the audit log, and of openings and clicks, that are written.
      create table written_batch (
        id uuid primary key,
        created_at timestamptz(6) not null default now()
      );
      create index written_batch_created_at_index on written_batch (created_at);

      -- Which SECRET_KEY the platform was prepared with.
      create table secret_mark (
        mark text primary key
      );
    `);
  }
}
