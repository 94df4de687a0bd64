/**
 * A table that holds sums by key, written by triggers on the rows that are summed: so it is right in every snapshot, whatever goes first when something is deleted. Every
 * change adds a row, so that nobody waits for anybody; now and then a change folds the rows of its first key together.
 * Migrations that have been released stand on what is here: it is not edited then, either.
 */
export interface SumTable {
  name: string;
  /** By name, the columns the sums are by; the first is an integer, and one of its values is folded at a time. */
  keys: string[];
  sums: string[];
}

/** What a trigger does with the rows that came and went. */
interface Change {
  /** A statement that comes first, or nothing. */
  held: string;
  /** A query of the changes: keys, then sums. */
  changes: string;
}

/** By event: the rows that came (`sign` 1) and that went (-1), and how the trigger names them. */
const EVENTS = {
  insert: { rows: 'select t.*, 1 as sign from now_there t', tables: 'new table as now_there' },
  delete: { rows: 'select t.*, -1 as sign from was_there t', tables: 'old table as was_there' },
  update: {
    rows: 'select t.*, 1 as sign from now_there t union all select t.*, -1 from was_there t',
    tables: 'old table as was_there new table as now_there',
  },
};

/** The function `<name>_fold(int[])`. Without nested loops: as with core_tally_fold. Rows that another fold holds are left to it; sums that came to nothing go. */
export function foldable({ name, keys, sums }: SumTable): string {
  const by = keys.map((_, index) => index + 1).join(', ');
  return `
      create function ${name}_fold(of int[]) returns void language sql set enable_nestloop = off as $$
        with folded as (
          delete from ${name} where id in (
            select id from ${name} where ${keys[0]} = any(of) limit 20000 for update skip locked)
          returning *)
        insert into ${name} (${[...keys, ...sums].join(', ')})
          select ${[...keys, ...sums.map((sum) => `sum(${sum})`)].join(', ')} from folded group by ${by}
          having (${sums.map((sum) => `sum(${sum})`).join(', ')}) is distinct from (${sums.map(() => '0').join(', ')})
      $$;`;
}

/**
 * Adds up expressions over the rows of a table for which `where` is true.
 * @param keys the keys as expressions of the table, in their order; rows without the first are nobody's
 */
export function summed(into: SumTable, table: string, keys: string[], sums: Record<string, string>, where = 'true'): string {
  const change = Object.entries(sums).map(([name, value]) => `sum(sign * ${value}) as ${name}`);
  const by = keys.map((_, index) => index + 1).join(', ');
  return tallying(into, table, 'summed', keys[0]!, Object.keys(sums), (rows) => ({
    held: '',
    changes: `select ${[...keys, ...change].join(', ')} from (${rows}) c where ${keys[0]} is not null and ${where} group by ${by}`,
  }));
}

/** @param of what the first key is of a row */
export function tallying(
  { name: into, keys }: SumTable,
  table: string,
  kind: string,
  of: string,
  sums: string[],
  change: (rows: string) => Change,
): string {
  const name = `${table}_${kind}`;
  const write = (from: string) => `insert into ${into} (${[...keys, ...sums].join(', ')}) ${from};`;
  const events = Object.entries(EVENTS).map(([event, { rows, tables }]) => {
    const { held, changes } = change(rows);
    return `
      create function ${name}_${event}() returns trigger language plpgsql as $$
      begin
        if exists (select from (${rows}) c where ${of} is not null) then
          ${held}
          ${write(`select * from (${changes}) changes where (${sums.join(', ')}) is distinct from (${sums.map(() => '0').join(', ')})`)}
          if random() < 0.01 then
            perform ${into}_fold(array(select distinct ${of} from (${rows}) c where ${of} is not null));
          end if;
        end if;
        return null;
      end $$;
      create trigger ${name}_${event} after ${event} on ${table} referencing ${tables} for each statement execute function ${name}_${event}();`;
  });
  return `${events.join('')}
      create function ${name}_truncate() returns trigger language plpgsql as $$
      begin
        ${write(`select ${[...keys, ...sums.map((sum) => `-sum(${sum})`)].join(', ')} from ${into} group by ${keys.map((_, index) => index + 1).join(', ')}`)}
        return null;
      end $$;
      create trigger ${name}_truncate after truncate on ${table} for each statement execute function ${name}_truncate();`;
}
