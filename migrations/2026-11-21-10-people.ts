import { Migration } from '@mikro-orm/migrations';

/** What hangs on a user: phones, places, events, tokens, merges, erasures, imports, bounces, confirmations; and what follows an action on a page. */
export class People extends Migration {
  override up(): void {
    this.addSql(`
      create table "events_campaign" ("id" serial primary key, "name" text not null, "title" text not null default '', "description" text not null default '', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "events_campaign" add constraint "events_campaign_name_unique" unique ("name");
      create table "core_erasure" ("id" serial primary key, "user_id" int not null, "email_hash" text not null default '', "options" jsonb not null default '[]', "status" text not null default 'pending', "errors" jsonb not null default '[]', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_erasure_user_id_index" on "core_erasure" ("user_id");
      create table "core_cmsform" ("id" serial primary key, "page_id" int not null, "introduction_text" text not null default '', "about_text" text not null default '', "statement_text" text not null default '', "thank_you_text" text not null default '', "client_hosted" boolean not null default false, "client_url" text not null default '', "templateset" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_cmsform" add constraint "core_cmsform_page_id_unique" unique ("page_id");
      create table "core_pagefollowup" ("id" serial primary key, "page_id" int not null, "url" text not null default '', "send_email" boolean not null default false, "send_notifications" boolean not null default false, "send_taf" boolean not null default false, "email_subject" text not null default '', "email_body" text not null default '', "email_custom_from" text not null default '', "email_from_line_id" int null, "email_wrapper_id" int null, "notifications" jsonb not null default '[]', "taf_subject" text not null default '', "taf_body" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_pagefollowup" add constraint "core_pagefollowup_page_id_unique" unique ("page_id");
      create table "core_upload" ("id" serial primary key, "page_id" int not null, "filename" text not null default '', "path" text not null default '', "autocreate_user_fields" boolean not null default false, "status" text not null default 'new', "stop_requested" boolean not null default false, "columns" jsonb not null default '[]', "line_count" int null, "progress" int not null default 0, "error_count" int not null default 0, "error" text not null default '', "started_at" timestamptz(6) null, "finished_at" timestamptz(6) null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_upload_page_id_index" on "core_upload" ("page_id");
      create table "core_uploaderror" ("id" serial primary key, "upload_id" int not null, "line" int not null, "message" text not null default '', "created_at" timestamptz(6) not null default now());
      create index "core_uploaderror_upload_index" on "core_uploaderror" ("upload_id", "line");
      create table "core_uploadrow" ("upload_id" int not null, "line" int not null, "cells" text[] not null, primary key ("upload_id", "line"));
      create table "core_transactionalmailing" ("id" serial primary key, "user_id" int not null, "action_id" int null, "kind" text not null default '', "email" text not null default '', "subject" text not null default '', "status" text not null default 'pending', "detail" text not null default '', "sent_at" timestamptz(6) null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_transactionalmailing_user_id_index" on "core_transactionalmailing" ("user_id");
      create index core_transactionalmailing_pending_index on core_transactionalmailing (created_at) where status in ('pending', 'sending');
      create unique index core_transactionalmailing_action_key on core_transactionalmailing (action_id, kind);
      create table "core_phone" ("id" serial primary key, "user_id" int not null, "phone" text not null, "normalized_phone" text not null default '', "type" text not null default 'home', "source" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_phone_user_id_index" on "core_phone" ("user_id");
      create index "core_phone_normalized_phone_index" on "core_phone" ("normalized_phone", "id");
      create table "core_logintoken" ("id" serial primary key, "user_id" int not null, "token_hash" text not null, "expires_at" timestamptz(6) not null, "created_at" timestamptz(6) not null default now());
      create index "core_logintoken_user_id_index" on "core_logintoken" ("user_id");
      alter table "core_logintoken" add constraint "core_logintoken_token_hash_unique" unique ("token_hash");
      create table "core_location" ("id" serial primary key, "user_id" int not null, "us_district" text not null default '', "us_state_senate" text not null default '', "us_state_district" text not null default '', "us_county" text not null default '', "loc_code" text not null default '', "longitude" double precision null, "latitude" double precision null, "country_code" text not null default '', "region_code" text not null default '', "lat_lon_precision" text not null default '', "timezone" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_location" add constraint "core_location_user_id_unique" unique ("user_id");
      create table "events_event" ("id" serial primary key, "campaign_id" int not null, "creator_id" int null, "title" text not null default '', "venue" text not null default '', "address1" text not null default '', "address2" text not null default '', "city" text not null default '', "state" text not null default '', "region" text not null default '', "zip" text not null default '', "postal" text not null default '', "country" text not null default '', "us_district" text not null default '', "us_county" text not null default '', "longitude" double precision null, "latitude" double precision null, "starts_at" timestamptz(6) null, "ends_at" timestamptz(6) null, "public_description" text not null default '', "directions" text not null default '', "max_attendees" int null, "is_private" boolean not null default false, "status" text not null default 'active', "fields" jsonb not null default '{}', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "events_event_campaign_id_index" on "events_event" ("campaign_id");
      create index "events_event_creator_id_index" on "events_event" ("creator_id");
      create table "events_eventsignup" ("id" serial primary key, "user_id" int not null, "event_id" int not null, "role" text not null default 'attendee', "status" text not null default 'active', "fields" jsonb not null default '{}', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "events_eventsignup_event_id_index" on "events_eventsignup" ("event_id");
      alter table "events_eventsignup" add constraint "events_eventsignup_user_event_key" unique ("user_id", "event_id", "role");
      create table "core_bounce" ("id" serial primary key, "user_id" int not null, "mailing_id" int null, "kind" text not null, "code" text not null default '', "diagnostic" text not null default '', "report_id" text null, "created_at" timestamptz(6) not null default now());
      create index "core_bounce_user_id_index" on "core_bounce" ("user_id");
      create index "core_bounce_mailing_id_index" on "core_bounce" ("mailing_id");
      alter table "core_bounce" add constraint "core_bounce_report_id_user_key" unique ("report_id", "user_id");
      create table "core_usermerge" ("id" serial primary key, "primary_user" int not null, "users" jsonb not null default '[]', "address_user" int not null, "source_user" int not null, "sms_user" int null, "lists" jsonb null, "status" text not null default 'pending', "errors" jsonb not null default '[]', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_usermerge_primary_user_index" on "core_usermerge" ("primary_user");
      create table "core_user_original" ("id" serial primary key, "user_id" int not null, "address1" text not null default '', "address2" text not null default '', "city" text not null default '', "state" text not null default '', "zip" text not null default '', "created_at" timestamptz(6) not null default now());
      alter table "core_user_original" add constraint "core_user_original_user_id_unique" unique ("user_id");
      create table "geo_zipplace" ("zip" text not null, "kind" text not null, "place" text not null, primary key ("zip", "kind", "place"));
      create index "core_action_referring_user_id_index" on "core_action" ("referring_user_id");
      alter table "core_erasure" add constraint "core_erasure_status_check" check ("status" in ('pending', 'complete', 'failed'));
      alter table "core_cmsform" add constraint "core_cmsform_page_id_foreign" foreign key ("page_id") references "core_page" ("id") on delete cascade;
      alter table "core_pagefollowup" add constraint "core_pagefollowup_page_id_foreign" foreign key ("page_id") references "core_page" ("id") on delete cascade;
      alter table "core_pagefollowup" add constraint "core_pagefollowup_email_from_line_id_foreign" foreign key ("email_from_line_id") references "core_fromline" ("id") on delete set null;
      alter table "core_pagefollowup" add constraint "core_pagefollowup_email_wrapper_id_foreign" foreign key ("email_wrapper_id") references "core_emailwrapper" ("id") on delete set null;
      alter table "core_upload" add constraint "core_upload_page_id_foreign" foreign key ("page_id") references "core_page" ("id") on delete cascade;
      alter table "core_upload" add constraint "core_upload_status_check" check ("status" in ('new', 'loading', 'importing', 'completed', 'stopped', 'died'));
      alter table "core_uploaderror" add constraint "core_uploaderror_upload_id_foreign" foreign key ("upload_id") references "core_upload" ("id") on delete cascade;
      alter table "core_transactionalmailing" add constraint "core_transactionalmailing_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_transactionalmailing" add constraint "core_transactionalmailing_status_check" check ("status" in ('pending', 'sending', 'sent', 'failed', 'uncertain', 'skipped'));
      alter table "core_phone" add constraint "core_phone_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_phone" add constraint "core_phone_type_check" check ("type" in ('home', 'mobile', 'work', 'fax', 'emergency', 'home_fax', 'work_fax', 'other'));
      alter table "core_logintoken" add constraint "core_logintoken_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_location" add constraint "core_location_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "events_event" add constraint "events_event_campaign_id_foreign" foreign key ("campaign_id") references "events_campaign" ("id") on delete cascade;
      alter table "events_event" add constraint "events_event_creator_id_foreign" foreign key ("creator_id") references "core_user" ("id") on delete set null;
      alter table "events_event" add constraint "events_event_status_check" check ("status" in ('active', 'cancelled', 'deleted'));
      alter table "events_eventsignup" add constraint "events_eventsignup_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "events_eventsignup" add constraint "events_eventsignup_event_id_foreign" foreign key ("event_id") references "events_event" ("id") on delete cascade;
      alter table "events_eventsignup" add constraint "events_eventsignup_role_check" check ("role" in ('attendee', 'host'));
      alter table "events_eventsignup" add constraint "events_eventsignup_status_check" check ("status" in ('active', 'cancelled'));
      alter table "core_bounce" add constraint "core_bounce_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_bounce" add constraint "core_bounce_kind_check" check ("kind" in ('hard', 'soft', 'complaint'));
      alter table "core_usermerge" add constraint "core_usermerge_status_check" check ("status" in ('pending', 'complete', 'failed'));
      alter table "core_user_original" add constraint "core_user_original_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
    `);
  }
}
