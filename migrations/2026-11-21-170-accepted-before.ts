import { Migration } from '@mikro-orm/migrations';

/** How many mails earlier runs had accepted when the present one began: its rate is that of the others. */
export class AcceptedBefore extends Migration {
  override up(): void {
    this.addSql('alter table send_run add column "accepted_before" int not null default 0');
  }
}
