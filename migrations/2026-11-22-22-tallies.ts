import { Migration } from '@mikro-orm/migrations';

/** Exact counts of the rows of large tables without counting (entities/tally.ts). */
export class Tallies extends Migration {
  override up(): void {
    this.addSql(`
      create table core_tally (
        id bigserial primary key,
        counted text not null,
        facet text not null,
        value text not null,
        delta int not null
      );
      create index core_tally_facet_index on core_tally (counted, facet, value);

      -- Rows that another fold holds are left to it. Without nested loops: statistics from a moment when there were few rows chose them, also for many (27 s).
      create function core_tally_fold(of_table text) returns void language sql set enable_nestloop = off as $$
        with folded as (
          delete from core_tally where id in (
            select id from core_tally where counted = of_table and (facet, value) in (
              select facet, value from core_tally where counted = of_table group by facet, value having count(*) > 1)
            limit 20000 for update skip locked)
          returning facet, value, delta)
        insert into core_tally (counted, facet, value, delta)
          select of_table, facet, value, sum(delta) from folded group by facet, value having sum(delta) <> 0
      $$;

      ${tallied('core_user', ['state', 'country', 'source', 'subscription_status', 'lang_id'], { erased: EMPTIED_STATUS })}
      ${tallied('core_action', ['page_id', 'source', 'status'])}
      ${tallied('core_subscription', ['list_id'])}
      ${tallied('core_subscriptionhistory', ['list_id'])}
      ${tallied('core_order', [])}
      ${tallied('core_transaction', [])}
      ${['core_userfield', 'core_actionfield', 'core_phone', 'core_location'].map((table) => tallied(table, [])).join('')}
    `);
  }
}

/** The status of a row that an erasure has emptied. */
const EMPTIED_STATUS = `case when t.email like 'erased-%@erased.invalid' then t.subscription_status end`;

/**
 * Counts a table's rows, in all and by value of these columns, from its first row on. How many there are in all no update changes.
 * @param more facets that are no columns, each an expression over `t`; of its nulls nothing is counted
 */
function tallied(table: string, columns: string[], more: Record<string, string> = {}): string {
  const facets = Object.entries({ ...Object.fromEntries(columns.map((column) => [column, `t.${column}::text`])), ...more });
  const values = [`('', '')`, ...facets.map(([facet, value]) => `('${facet}', ${value})`)].join(', ');
  const of = `cross join lateral (values ${values}) as f (facet, value)`;
  const write = (rows: string) => `insert into core_tally (counted, facet, value, delta) select '${table}', f.facet, f.value, ${rows}`;
  const trigger = (event: string, rows: string) =>
    `create trigger ${table}_tally_${event} after ${event} on ${table} ${rows} for each statement execute function ${table}_tally();`;
  return `
      create function ${table}_tally() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          ${write('count(*)')} from now_there t ${of} where f.value is not null group by f.facet, f.value;
        elsif tg_op = 'DELETE' then
          ${write('-count(*)')} from was_there t ${of} where f.value is not null group by f.facet, f.value;
        elsif tg_op = 'UPDATE' then
          ${write('sum(delta)')} from (
            select f.facet, f.value, 1 as delta from now_there t ${of}
            union all
            select f.facet, f.value, -1 from was_there t ${of}
          ) f where f.value is not null group by f.facet, f.value having sum(delta) <> 0;
        else
          delete from core_tally where counted = '${table}';
        end if;
        -- Old rows are folded by one change in a few hundred.
        if random() < 0.003 then
          perform core_tally_fold('${table}');
        end if;
        return null;
      end $$;
      ${trigger('insert', 'referencing new table as now_there')}
      ${facets.length > 0 ? trigger('update', 'referencing old table as was_there new table as now_there') : ''}
      ${trigger('delete', 'referencing old table as was_there')}
      ${trigger('truncate', '')}`;
}
