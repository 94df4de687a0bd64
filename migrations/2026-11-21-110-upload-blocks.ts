import { Migration } from '@mikro-orm/migrations';

/** Lines of uploads wait in blocks, each a transaction's worth, instead of in rows: a million of them are a few hundred rows. */
export class UploadBlocks extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_uploadblock" ("upload_id" int not null, "lane" int not null, "nth" int not null, "lines" text not null, primary key ("upload_id", "lane", "nth"));

      insert into core_uploadblock (upload_id, lane, nth, lines)
      select upload_id, 0, place / 2000, jsonb_agg(jsonb_build_array(line) || to_jsonb(cells) order by line)::text
      from (select *, row_number() over (partition by upload_id order by line) - 1 as place from core_uploadrow) waiting
      group by upload_id, place / 2000;

      drop table core_uploadrow;
    `);
  }
}
