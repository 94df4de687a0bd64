import { Migration } from '@mikro-orm/migrations';

/** Where the rows of old ledgers go that say nothing but "accepted", and what reads them together with the others. */
export class SendArchive extends Migration {
  override up(): void {
    this.addSql(`
      create table "send_archive" ("user_id" int not null, "mailing_id" int not null, "position" int not null, "sent_second" int not null, primary key ("user_id", "mailing_id"));
      create index "send_archive_mailing_range" on "send_archive" using brin ("mailing_id") with (pages_per_range = 64, autosummarize = on);
      alter table "send_run" add column "compacted_at" timestamptz(6) null;
      create view "send_record" as
        select mailing_id, position, user_id, state, changed_at::timestamptz as changed_at, detail from send_ledger
        union all
        select mailing_id, position, user_id, 2::smallint, to_timestamp(1577836800 + sent_second::float8), null::text from send_archive;
    `);
  }
}
