import { Migration } from '@mikro-orm/migrations';

/** Who is in which group. */
export class UserGroups extends Migration {
  override up(): void {
    this.addSql(`
      drop view if exists report.core_user_groups cascade;
      create table "core_user_groups" ("user_id" int not null, "usergroup_id" int not null, primary key ("user_id", "usergroup_id"));
      alter table "core_user_groups" add constraint "core_user_groups_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on update cascade on delete cascade;
      alter table "core_user_groups" add constraint "core_user_groups_usergroup_id_foreign" foreign key ("usergroup_id") references "core_usergroup" ("id") on update cascade on delete cascade;
      create index "core_user_groups_usergroup_id_index" on "core_user_groups" ("usergroup_id", "user_id");
    `);
  }
}
