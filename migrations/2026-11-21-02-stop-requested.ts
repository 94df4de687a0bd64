import { Migration } from '@mikro-orm/migrations';

/** A stop is written down before it is signalled, so that it cannot be lost. */
export class StopRequested extends Migration {
  override up(): void {
    this.addSql('alter table "core_mailing" add column "stop_requested" boolean not null default false');
  }
}
