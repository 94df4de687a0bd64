import { Migration } from '@mikro-orm/migrations';

/** Results of reports that took long, kept for a while. */
export class ReportCache extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table "report_cache" ("key" text not null, "format" text not null, "content" text not null, "bytes" int not null, "created_at" timestamptz(6) not null default now(), primary key ("key"), constraint "report_cache_format_check" check ("format" in ('json', 'csv')));
      create index report_cache_created_at_index on report_cache (created_at);
    `);
  }
}
