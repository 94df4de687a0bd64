import { Migration } from '@mikro-orm/migrations';

/** Declared custom user fields; indexes for filters of users and of the history of a list. */
export class UserFields extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_alloweduserfield" ("id" serial primary key, "name" text not null, "display_name" text not null default '', "description" text not null default '', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_alloweduserfield" add constraint "core_alloweduserfield_name_unique" unique ("name");
      create index "core_user_subscription_status_index" on "core_user" ("subscription_status", "id");
      create index "core_subscriptionhistory_list_id_index" on "core_subscriptionhistory" ("list_id");
    `);
  }
}
