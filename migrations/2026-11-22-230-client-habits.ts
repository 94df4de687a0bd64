import { Migration } from '@mikro-orm/migrations';

/** Indexes for the filters and orders clients use, and reports with tabs between. */
export class ClientHabits extends Migration {
  override up(): void {
    this.addSql(`
      create index "core_user_first_name_index" on "core_user" ("first_name", "id");
      create index "core_user_city_index" on "core_user" ("city", "id");
      create index "core_user_email_index" on "core_user" ("email", "id");
      alter table "core_backgroundtask" drop constraint "core_backgroundtask_format_check";
      alter table "core_backgroundtask" add constraint "core_backgroundtask_format_check" check ("format" in ('json', 'csv', 'tsv'));
      alter table "report_cache" drop constraint "report_cache_format_check";
      alter table "report_cache" add constraint "report_cache_format_check" check ("format" in ('json', 'csv', 'tsv'));
    `);
  }
}
