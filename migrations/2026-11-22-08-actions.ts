import { Migration } from '@mikro-orm/migrations';

/** What users did on pages. */
export class Actions extends Migration {
  override up(): void {
    this.addSql(`
      create table core_action (
        id serial primary key,
        user_id int not null
          constraint core_action_user_id_foreign references core_user (id) on delete cascade,
        page_id int not null
          constraint core_action_page_id_foreign references core_page (id) on delete cascade,
        mailing_id int,
        mailing_place int,
        referring_user_id int,
        referring_mailing_id int,
        source text not null default '',
        link int,
        opq_id text not null default '',
        created_user boolean not null default false,
        subscribed_user boolean not null default false,
        is_forwarded boolean not null default false,
        status text not null default 'complete',
        ip_address text,
        taken_with text not null default '',
        leaves boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_action_status_check check (status in ('incomplete', 'complete', 'failed'))
      );
      create index core_action_created_at_index on core_action (created_at, id);
      -- Most actions come from no mailing and no referrer: an index need not hold them, and writing them need not touch it.
      create index core_action_mailing_id_index on core_action (mailing_id) where (mailing_id is not null);
      create index core_action_page_index on core_action (page_id, id);
      create index core_action_referring_user_id_index on core_action (referring_user_id) where (referring_user_id is not null);
      create index core_action_source_index on core_action (source, id);
      create index core_action_status_index on core_action (status, id);
      create index core_action_updated_at_index on core_action (updated_at, id);
      create index core_action_user_index on core_action (user_id, id);

      create table core_actionfield (
        id serial primary key,
        parent_id int not null
          constraint core_actionfield_parent_id_foreign references core_action (id) on delete cascade,
        name text not null,
        value text not null default ''
      );
      create index core_actionfield_name_index on core_actionfield (name, id);
      create index core_actionfield_parent_id_index on core_actionfield (parent_id);
    `);
  }
}
