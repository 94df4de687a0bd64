import { Migration } from '@mikro-orm/migrations';

/** A request for proofs by an account that may not read users is answered with made-up people. */
export class MadeUpProofs extends Migration {
  override up(): void {
    this.addSql(`alter table "core_mailingproof" add column "made_up" boolean not null default false;`);
  }
}
