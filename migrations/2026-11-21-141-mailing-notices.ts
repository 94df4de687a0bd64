import { Migration } from '@mikro-orm/migrations';

/** Mails that tell people about a mailing. */
export class MailingNotices extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_mailingnotice" ("id" serial primary key, "mailing_id" int not null, "kind" text not null, "account_id" int null, "reviewer_id" int null, "reasons" jsonb not null default '[]'::jsonb, "status" text not null default 'pending', "detail" text not null default '', "sent_at" timestamptz(6) null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now(), constraint "core_mailingnotice_kind_check" check ("kind" in ('final_proof', 'completed', 'stopped', 'died', 'not_sent')), constraint "core_mailingnotice_status_check" check ("status" in ('pending', 'sending', 'sent', 'failed', 'uncertain', 'skipped')));
      create index "core_mailingnotice_mailing_id_index" on "core_mailingnotice" ("mailing_id");
      create index core_mailingnotice_pending_index on core_mailingnotice (updated_at) where status in ('pending', 'sending');
      alter table "core_mailingnotice" add constraint "core_mailingnotice_mailing_id_foreign" foreign key ("mailing_id") references "core_mailing" ("id") on delete cascade;
    `);
  }
}
