import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Sql } from './sql.ts';

/** Statements inside the transaction `em` is in. Values are bound, not pasted in as em.execute() does. */
export function sqlOf(em: EntityManager): Sql {
  return async (text, values = []) => (await em.getKysely().executeQuery(CompiledQuery.raw(text, values))).rows as never;
}
