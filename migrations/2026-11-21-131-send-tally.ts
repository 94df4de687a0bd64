import { Migration } from '@mikro-orm/migrations';

/** Results by subject without reading the ledger (core/sending/tally.ts). */
export class SendTallies extends Migration {
  override up(): void {
    this.addSql(
      `create table "send_tally" ("mailing_id" int not null, "shard" int not null, "place" int not null, "targeted" int not null, "accepted" int not null,
        "failed" int not null, "skipped" int not null, "uncertain" int not null, primary key ("mailing_id", "shard", "place"));`,
    );
  }
}
