import { Migration } from '@mikro-orm/migrations';

/** Multilingual campaigns of pages, pages of event campaigns and what was done on them, user groups and places of users. */
export class PagesAndEvents extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_multilingualcampaign" ("id" serial primary key, "name" text not null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_multilingualcampaign" add constraint "core_multilingualcampaign_name_unique" unique ("name");
      alter table "core_page" add column "multilingual_campaign_id" int null;
      alter table "core_page" add constraint "core_page_multilingual_campaign_id_foreign" foreign key ("multilingual_campaign_id") references "core_multilingualcampaign" ("id") on delete set null;
      create index "core_page_multilingual_campaign_index" on "core_page" ("multilingual_campaign_id", "id");
      insert into "core_multilingualcampaign" ("name") select distinct left(trim("multilingual_campaign"), 255) from "core_whipcountpage" where trim("multilingual_campaign") <> '';
      update "core_page" p set "multilingual_campaign_id" = m.id from "core_whipcountpage" w, "core_multilingualcampaign" m
        where w.page_ptr_id = p.id and m.name = left(trim(w."multilingual_campaign"), 255);
      drop view if exists report.core_whipcountpage cascade;
      alter table "core_whipcountpage" drop column "multilingual_campaign";
      alter table "core_page" drop constraint "core_page_type_check";
      alter table "core_page" add constraint "core_page_type_check" check ("type" in ('signup', 'petition', 'unsubscribe', 'whipcount', 'donation', 'import', 'eventcreate', 'eventsignup'));
      alter table "core_cmsform" add column "statement_leadin" text not null default '';
      create table "events_eventpage" ("page_ptr_id" int not null, "campaign_id" int not null, primary key ("page_ptr_id"));
      alter table "events_eventpage" add constraint "events_eventpage_page_ptr_id_foreign" foreign key ("page_ptr_id") references "core_page" ("id") on update cascade on delete cascade;
      alter table "events_eventpage" add constraint "events_eventpage_campaign_id_foreign" foreign key ("campaign_id") references "events_campaign" ("id") on delete cascade;
      create index "events_eventpage_campaign_id_index" on "events_eventpage" ("campaign_id");
      alter table "events_event" add column "action_id" int null;
      alter table "events_event" add constraint "events_event_action_id_foreign" foreign key ("action_id") references "core_action" ("id") on delete set null;
      create index "events_event_action_id_index" on "events_event" ("action_id");
      alter table "events_eventsignup" add column "page_id" int null, add column "action_id" int null;
      alter table "events_eventsignup" add constraint "events_eventsignup_page_id_foreign" foreign key ("page_id") references "core_page" ("id") on delete set null;
      alter table "events_eventsignup" add constraint "events_eventsignup_action_id_foreign" foreign key ("action_id") references "core_action" ("id") on delete set null;
      create index "events_eventsignup_page_id_index" on "events_eventsignup" ("page_id");
      create index "events_eventsignup_action_id_index" on "events_eventsignup" ("action_id");
      create table "core_usergroup" ("id" serial primary key, "name" text not null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_usergroup" add constraint "core_usergroup_name_unique" unique ("name");
      create table "core_usergeofield" ("id" serial primary key, "user_id" int not null, "name" text not null, "value" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_usergeofield" add constraint "core_usergeofield_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      create index "core_usergeofield_user_name_index" on "core_usergeofield" ("user_id", "name");
    `);
  }
}
