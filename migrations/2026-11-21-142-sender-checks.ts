import { Migration } from '@mikro-orm/migrations';

/** How domains mail is sent from were found set up. */
export class SenderChecks extends Migration {
  override up(): void {
    this.addSql(`
      create table "sender_check" ("domain" text not null, "passed" boolean not null, "items" jsonb not null, "checked_at" timestamptz(6) not null default now(), primary key ("domain"));
    `);
  }
}
