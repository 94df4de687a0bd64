import { Migration } from '@mikro-orm/migrations';

/** Files with a row of values for each of some people. */
export class Mergefiles extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_mergefile" ("id" serial primary key, "name" text not null default '', "filename" text not null default '', "status" text not null default 'loaded', "row_count" int not null default 0, "lookup_column" text not null default 'email', "columns" jsonb not null default '[]'::jsonb, "error" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now(), constraint "core_mergefile_status_check" check ("status" in ('loaded')), constraint "core_mergefile_lookup_column_check" check ("lookup_column" in ('email', 'user_id', 'akid')));
      create table "core_mergefilerow" ("mergefile_id" int not null, "user_id" int not null, "values" jsonb not null, primary key ("mergefile_id", "user_id"));
      create index "core_mergefilerow_user_id_index" on "core_mergefilerow" ("user_id");
      alter table "core_mergefilerow" add constraint "core_mergefilerow_mergefile_id_foreign" foreign key ("mergefile_id") references "core_mergefile" ("id") on update cascade on delete cascade;
      alter table "core_mergefilerow" add constraint "core_mergefilerow_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on update cascade on delete cascade;
      alter table "core_mailing" add column "mergefile_id" int null;
      alter table "core_mailing" add constraint "core_mailing_mergefile_id_foreign" foreign key ("mergefile_id") references "core_mergefile" ("id") on delete set null;
    `);
  }
}
