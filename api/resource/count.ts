import type { Compilable, SelectQueryBuilder } from 'kysely';
import type { Sql } from '../../db/sql.ts';
import { anyTables, fragment, run } from '../../entities/tables.ts';

/** So many are counted in any case. */
const COUNTED = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: a query over whatever table
type AnyQuery = SelectQueryBuilder<any, any, any>;

/**
 * How many match, for a caller who asked for no more than a guess: exactly where that is kept or soon counted, else as the planner takes them for.
 * @param all what matches
 * @param kept the query of the count that is kept of it, or null
 */
export async function estimated(on: Sql, all: AnyQuery, kept: Compilable<unknown> | null): Promise<{ total: number; exact: boolean }> {
  if (kept) {
    const [row] = await run(on, kept as Compilable<{ count: string }>);
    return { total: Number(row!.count), exact: true };
  }
  const some = all.select(fragment.lit(1).as('one')).limit(COUNTED + 1);
  const [row] = await run(
    on,
    anyTables.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count')) as Compilable<{ count: string }>,
  );
  const found = Number(row!.count);
  if (found <= COUNTED) return { total: found, exact: true };
  const { sql, parameters } = all.select('t.id').compile();
  const [plan] = await on<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(`explain (format json) ${sql}`, [...parameters]);
  return { total: Math.max(found, plan!['QUERY PLAN'][0].Plan['Plan Rows']), exact: false };
}
