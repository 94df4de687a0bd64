import { Migration } from '@mikro-orm/migrations';

/** Ids of one width everywhere: what the API shows is a number, and two thousand million writes are years. */
export class AuditLogIds extends Migration {
  override up(): void {
    this.addSql(`
      alter table "core_auditlog" alter column "id" type int;
      alter sequence "core_auditlog_id_seq" as int;
    `);
  }
}
