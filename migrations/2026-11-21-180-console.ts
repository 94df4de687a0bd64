import { Migration } from '@mikro-orm/migrations';

/** Sessions of people at the console, and what its charts read. */
export class Console extends Migration {
  override up(): void {
    this.addSql(`
      create table "auth_consolesession" ("token_hash" text not null, "user_id" int not null, "password_digest" text not null, "created_at" timestamptz(6) not null default now(), "expires_at" timestamptz(6) not null, primary key ("token_hash"));
      create index "auth_consolesession_user_id_index" on "auth_consolesession" ("user_id");
      create index "auth_consolesession_expires_at_index" on "auth_consolesession" ("expires_at");
      alter table "auth_consolesession" add constraint "auth_consolesession_user_id_foreign" foreign key ("user_id") references "auth_user" ("id") on delete cascade;
      create index "core_open_mailing_id_created_at_index" on "core_open" ("mailing_id", "created_at");
      create index "core_click_mailing_id_created_at_index" on "core_click" ("mailing_id", "created_at");
    `);
  }
}
