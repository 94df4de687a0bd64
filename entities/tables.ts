import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { type Compilable, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { Sql } from '../db/sql.ts';
import type { entities } from './index.ts';

// MikroORM's Kysely, typed from the entities: a renamed column fails at compile time. It only makes statements here. They run on whatever `sql` stands
// for, be it a transaction or a pool, so that connections, names of prepared statements and time limits stay the business of db/.

/** The tables as `em.getKysely()` types them, of all entities. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** Makes statements. */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The same for whom a table's name is known at run time only: the resource kit, which reads tables and columns from the entities' metadata. */
export const anyTables = tables as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** SQL for a part of such a statement. Values in it are bound; `fragment.raw` alone takes text as it is. */
export const fragment = sql;

/** The time of the transaction. */
export const NOW = fragment<Date>`now()`;

/** A value of a column that holds JSON, from its text. */
export const json = <Value>(text: string) => fragment<Value>`${text}::jsonb`;

/** Runs a statement made for this once. */
export async function run<Row>(sql: Sql, query: Compilable<Row>): Promise<Row[]> {
  const { sql: text, parameters } = query.compile();
  return sql<Row>(text, parameters as unknown[]);
}

/** Stands in a statement for a value that is bound when it runs. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/** A statement made once, at its first use, and run again and again: it costs what its text would. */
export type Statement<Given, Row> = (sql: Sql, given: Given) => Promise<Row[]>;

/**
 * @param build makes it; `given` may be bound as values only: nothing can be learned of them yet
 * @param madeUp of columns that somebody sent
 */
export function statement<Given, Row>(build: (given: Given) => Compilable<Row>, madeUp = false): Statement<Given, Row> {
  let made: { sql: string; parameters: readonly unknown[] } | undefined;
  return async (sql, given) => {
    made ??= build(slots as Given).compile();
    const values = made.parameters.map((each) => (each instanceof Slot ? given[each.name as keyof Given] : each));
    return sql<Row>(made.sql, values, madeUp);
  };
}
