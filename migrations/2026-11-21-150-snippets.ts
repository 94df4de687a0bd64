import { Migration } from '@mikro-orm/migrations';

/** Pieces of template that others include; what is tracked of a mailing; groups of mailings that are compared. */
export class Snippets extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_snippet" ("id" serial primary key, "name" text not null, "html" text not null default '', "text" text not null default '', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now(), constraint "core_snippet_name_unique" unique ("name"));
      create table "core_mailingtestgroup" ("id" serial primary key, "name" text not null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now(), constraint "core_mailingtestgroup_name_unique" unique ("name"));
      alter table "core_mailing" add column "track_opens" boolean not null default true, add column "track_clicks" boolean not null default true, add column "test_group_id" int null;
      alter table "core_mailing" add constraint "core_mailing_test_group_id_foreign" foreign key ("test_group_id") references "core_mailingtestgroup" ("id") on delete set null;
      create index "core_mailing_test_group_id_index" on "core_mailing" ("test_group_id");
    `);
  }
}
