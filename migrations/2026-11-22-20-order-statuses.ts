import { Migration } from '@mikro-orm/migrations';

const STATUSES = `('completed', 'reversed', 'failed', 'incomplete', 'pending')`;

/** Orders that are not paid yet, or never were: what clients set when a payment that was begun elsewhere ends. */
export class OrderStatuses extends Migration {
  override up(): void {
    for (const table of ['core_order', 'core_orderdetail']) {
      this.addSql(`alter table "${table}" drop constraint "${table}_status_check"`);
      this.addSql(`alter table "${table}" add constraint "${table}_status_check" check ("status" in ${STATUSES})`);
    }
  }
}
