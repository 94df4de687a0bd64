import { Migration } from '@mikro-orm/migrations';

/** Who wrote what, and when. */
export class AuditLog extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_auditlog" ("id" bigserial primary key, "created_at" timestamptz(6) not null default now(), "account_id" int not null, "username" text not null default '', "method" text not null default '', "path" text not null default '', "location" text not null default '', "fields" jsonb not null default '[]'::jsonb, "status" smallint not null);
      create index "core_auditlog_created_at_index" on "core_auditlog" ("created_at");
      create index "core_auditlog_account_index" on "core_auditlog" ("account_id", "created_at");
      create index "core_auditlog_path_index" on "core_auditlog" ("path", "created_at");
    `);
  }
}
