import { Migration } from '@mikro-orm/migrations';

/** How many recipients of a shard the relay put off in the present pass: they alone make the next pass wait. */
export class SendDeferred extends Migration {
  override up(): void {
    this.addSql('alter table send_shard add column deferred int not null default 0');
  }
}
