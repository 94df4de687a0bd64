import { Migration } from '@mikro-orm/migrations';

/** Saved reports say what they are written in; those there are were PostgreSQL's. */
export class ReportDialect extends Migration {
  override up(): void {
    this.addSql(`
      alter table "reports_queryreport" add column "dialect" text not null default 'postgresql';
      alter table "reports_queryreport" add constraint "reports_queryreport_dialect_check" check ("dialect" in ('postgresql', 'mysql'));
    `);
  }
}
