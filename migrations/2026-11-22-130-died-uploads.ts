import { Migration } from '@mikro-orm/migrations';

/** An import that no further try can bring to its end has died, and says why. */
export class DiedUploads extends Migration {
  override up(): void {
    this.addSql(`
      alter table core_upload drop constraint core_upload_status_check;
      alter table core_upload add constraint core_upload_status_check check ("status" in ('new', 'importing', 'completed', 'stopped', 'died'));
    `);
  }
}
