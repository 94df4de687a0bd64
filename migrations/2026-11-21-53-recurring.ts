import { Migration } from '@mikro-orm/migrations';

/** Mailings that go out again and again. */
export class Recurring extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_recurringschedule" ("id" serial primary key, "mailing_id" int not null, "period" text not null default 'daily', "minute" int not null default 0, "hour" int not null default 0, "weekday" int not null default 0, "day" int not null default 1, "timezone" text not null default 'UTC', "active" boolean not null default true, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now(), constraint "core_recurringschedule_mailing_id_unique" unique ("mailing_id"), constraint "core_recurringschedule_period_check" check ("period" in ('hourly', 'daily', 'weekly', 'monthly')));
      create table "core_recurringcopy" ("run" text not null, "mailing_id" int not null, "created_at" timestamptz(6) not null default now(), primary key ("run"));
      create index "core_recurringcopy_mailing_id_index" on "core_recurringcopy" ("mailing_id");
      alter table "core_recurringschedule" add constraint "core_recurringschedule_mailing_id_foreign" foreign key ("mailing_id") references "core_mailing" ("id") on delete cascade;
      alter table "core_recurringcopy" add constraint "core_recurringcopy_mailing_id_foreign" foreign key ("mailing_id") references "core_mailing" ("id") on delete cascade;
    `);
  }
}
