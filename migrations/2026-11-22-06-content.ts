import { Migration } from '@mikro-orm/migrations';

/** What mailings and pages are put together from: tags, from lines, wrappers, snippets, merge files. */
export class Content extends Migration {
  override up(): void {
    this.addSql(`
      create table core_tag (
        id serial primary key,
        name text not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_tag_name_unique unique (name)
      );

      create table core_fromline (
        id serial primary key,
        from_line text not null,
        is_default boolean not null default false,
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_fromline_from_line_unique unique (from_line)
      );

      create table core_emailwrapper (
        id serial primary key,
        name text not null,
        template text not null default '',
        text_template text not null default '',
        lang_id int
          constraint core_emailwrapper_lang_id_foreign references core_language (id) on delete set null,
        unsubscribe_text text not null default '',
        unsubscribe_html text not null default '',
        is_default boolean not null default false,
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_emailwrapper_name_unique unique (name)
      );

      create table core_snippet (
        id serial primary key,
        name text not null,
        html text not null default '',
        text text not null default '',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_snippet_name_unique unique (name)
      );

      create table core_mailingtestgroup (
        id serial primary key,
        name text not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_mailingtestgroup_name_unique unique (name)
      );

      create table core_mergefile (
        id serial primary key,
        name text not null default '',
        filename text not null default '',
        status text not null default 'loaded',
        row_count int not null default 0,
        lookup_column text not null default 'email',
        columns jsonb not null default '[]',
        error text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_mergefile_lookup_column_check check (lookup_column in ('email', 'user_id', 'akid')),
        constraint core_mergefile_status_check check (status = 'loaded')
      );

      create table core_mergefilerow (
        mergefile_id int not null
          constraint core_mergefilerow_mergefile_id_foreign references core_mergefile (id) on update cascade on delete cascade,
        user_id int not null
          constraint core_mergefilerow_user_id_foreign references core_user (id) on update cascade on delete cascade,
        "values" jsonb not null,
        primary key (mergefile_id, user_id)
      );
      create index core_mergefilerow_user_id_index on core_mergefilerow (user_id);
    `);
  }
}
