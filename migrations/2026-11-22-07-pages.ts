import { Migration } from '@mikro-orm/migrations';

/** Pages of every type, and what follows an action on them. */
export class Pages extends Migration {
  override up(): void {
    this.addSql(`
      create table core_multilingualcampaign (
        id serial primary key,
        name text not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_multilingualcampaign_name_unique unique (name)
      );

      create table core_page (
        id serial primary key,
        name text not null,
        title text not null default '',
        type text not null,
        status text not null default 'active',
        url text not null default '',
        hidden boolean not null default false,
        goal int,
        goal_type text not null default '',
        fields jsonb not null default '{}',
        required_fields jsonb not null default '[]',
        list_id int
          constraint core_page_list_id_foreign references core_list (id) on delete set null,
        language_id int
          constraint core_page_language_id_foreign references core_language (id) on delete set null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        multilingual_campaign_id int
          constraint core_page_multilingual_campaign_id_foreign references core_multilingualcampaign (id) on delete set null,
        constraint core_page_status_check check (status in ('active', 'inactive')),
        constraint core_page_type_check check (type in (
          'signup', 'petition', 'unsubscribe', 'whipcount', 'donation', 'import', 'eventcreate', 'eventsignup'
        )),
        constraint core_page_name_unique unique (name)
      );
      create index core_page_multilingual_campaign_index on core_page (multilingual_campaign_id, id);

      create table core_page_tags (
        page_id int not null
          constraint core_page_tags_page_id_foreign references core_page (id) on update cascade on delete cascade,
        tag_id int not null
          constraint core_page_tags_tag_id_foreign references core_tag (id) on update cascade on delete cascade,
        primary key (page_id, tag_id)
      );

      create table core_pagefollowup (
        id serial primary key,
        page_id int not null
          constraint core_pagefollowup_page_id_foreign references core_page (id) on delete cascade,
        url text not null default '',
        send_email boolean not null default false,
        send_notifications boolean not null default false,
        send_taf boolean not null default false,
        email_subject text not null default '',
        email_body text not null default '',
        email_custom_from text not null default '',
        email_from_line_id int
          constraint core_pagefollowup_email_from_line_id_foreign references core_fromline (id) on delete set null,
        email_wrapper_id int
          constraint core_pagefollowup_email_wrapper_id_foreign references core_emailwrapper (id) on delete set null,
        notifications jsonb not null default '[]',
        taf_subject text not null default '',
        taf_body text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_pagefollowup_page_id_unique unique (page_id)
      );

      create table core_cmsform (
        id serial primary key,
        page_id int not null
          constraint core_cmsform_page_id_foreign references core_page (id) on delete cascade,
        introduction_text text not null default '',
        about_text text not null default '',
        statement_text text not null default '',
        thank_you_text text not null default '',
        client_hosted boolean not null default false,
        client_url text not null default '',
        templateset text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        statement_leadin text not null default '',
        constraint core_cmsform_page_id_unique unique (page_id)
      );
    `);
  }
}
