import { Migration } from '@mikro-orm/migrations';

/** Uploads are streamed into their staging table right away: no file is kept, and there is no state in which one is being read. */
export class Uploads extends Migration {
  override up(): void {
    this.addSql(`
      alter table core_upload drop column path, drop column error, drop constraint core_upload_status_check;
      alter table core_upload add constraint core_upload_status_check check ("status" in ('new', 'importing', 'completed', 'stopped'));
    `);
  }
}
