import { Migration } from '@mikro-orm/migrations';

/** Most actions come from no mailing and no referrer: an index need not hold them, and writing them need not touch it. */
export class SparseActionIndexes extends Migration {
  override up(): void {
    this.addSql(`
      drop index "core_action_mailing_id_index", "core_action_referring_user_id_index";
      create index core_action_mailing_id_index on core_action (mailing_id) where mailing_id is not null;
      create index core_action_referring_user_id_index on core_action (referring_user_id) where referring_user_id is not null;
    `);
  }
}
