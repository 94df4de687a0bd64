import { Migration } from '@mikro-orm/migrations';

/** Rates of relays and of recipient domains, and shards some of whose recipients wait for theirs. */
export class SendPace extends Migration {
  override up(): void {
    this.addSql(`
      create table "send_pace" ("key" text not null, "paid_until" double precision not null default 0, primary key ("key"));
      alter table "send_shard" add column "throttled_at" timestamptz(6) null, add column "pass_began" timestamptz(6) not null default now();
    `);
  }
}
