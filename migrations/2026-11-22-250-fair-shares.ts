import { Migration } from '@mikro-orm/migrations';

/** Who asked for a build, and how often a report was begun, for the places of long statements go round by account; whether whoever asked for proofs may read users. */
export class FairShares extends Migration {
  override up(): void {
    this.addSql(`
      alter table "core_mailingrebuild" add column "account_id" int null;
      alter table "core_mailingrebuild" add constraint "core_mailingrebuild_account_id_foreign" foreign key ("account_id") references "auth_user" ("id") on delete set null;
      alter table "core_backgroundtask" add column "runs" int not null default 0;
      alter table "core_mailingproof" add column "members_hidden" boolean not null default false;
      update "core_mailingproof" set "members_hidden" = true where "made_up";
    `);
  }
}
