import { Migration } from '@mikro-orm/migrations';

/**
 * A row of the ledger whose person goes gets a number below 0 in place of theirs (core/sending/recipients-who-go.ts). That changes nobody else's targeting, so fast
 * rebuilds need not begin anew because of it, as they do when rows go to another user.
 */
export class RowsOfNobody extends Migration {
  override up(): void {
    this.addSql(`
      drop trigger send_ledger_moved on send_ledger;
      create trigger send_ledger_moved after update of user_id on send_ledger for each row when (new.user_id > 0 and new.user_id <> old.user_id)
        execute function targeting_moved();
    `);
  }
}
