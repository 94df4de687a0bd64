import { Migration } from '@mikro-orm/migrations';

const FACETS = (row: string) => `(values ('', ''), ('state', ${row}.state), ('country', ${row}.country), ('source', ${row}.source),
  ('subscription_status', ${row}.subscription_status), ('lang_id', ${row}.lang_id::text)) as f (facet, value)`;

/** Exact counts of users without counting (entities/people/user-tally.ts). */
export class UserTally extends Migration {
  override up(): void {
    this.addSql(`
      create table core_user_tally (
        id bigserial primary key,
        facet text not null,
        value text not null,
        delta int not null
      );
      create index core_user_tally_facet_index on core_user_tally (facet, value);

      create function core_user_tally_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into core_user_tally (facet, value, delta)
          select facet, value, count(*) from now_there t cross join lateral ${FACETS('t')} where value is not null group by facet, value;
        elsif tg_op = 'DELETE' then
          insert into core_user_tally (facet, value, delta)
          select facet, value, -count(*) from was_there t cross join lateral ${FACETS('t')} where value is not null group by facet, value;
        elsif tg_op = 'UPDATE' then
          insert into core_user_tally (facet, value, delta)
          select facet, value, sum(delta) from (
            select facet, value, 1 as delta from now_there t cross join lateral ${FACETS('t')}
            union all
            select facet, value, -1 from was_there t cross join lateral ${FACETS('t')}
          ) both_sides where value is not null group by facet, value having sum(delta) <> 0;
        else
          delete from core_user_tally;
        end if;
        -- Old rows are folded by one change in a few hundred; rows that another fold holds are left to it.
        if random() < 0.003 then
          with folded as (
            delete from core_user_tally where id in (
              select id from core_user_tally where (facet, value) in (
                select facet, value from core_user_tally group by facet, value having count(*) > 1)
              limit 20000 for update skip locked)
            returning facet, value, delta)
          insert into core_user_tally (facet, value, delta)
          select facet, value, sum(delta) from folded group by facet, value having sum(delta) <> 0;
        end if;
        return null;
      end $$;

      create trigger core_user_tally_insert after insert on core_user
        referencing new table as now_there for each statement execute function core_user_tally_change();
      create trigger core_user_tally_update after update on core_user
        referencing old table as was_there new table as now_there for each statement execute function core_user_tally_change();
      create trigger core_user_tally_delete after delete on core_user
        referencing old table as was_there for each statement execute function core_user_tally_change();
      create trigger core_user_tally_truncate after truncate on core_user
        for each statement execute function core_user_tally_change();
    `);
  }
}
