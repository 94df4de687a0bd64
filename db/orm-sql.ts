import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sql } from './sql.ts';

/** Statements inside the transaction `em` is in. Values are bound, not pasted in as em.execute() does. */
export function sqlOf(em: EntityManager): Sql {
  return async (text, values = []) => {
    // Many files: loaded by those who write through the ORM, not by a worker.
    const { CompiledQuery } = await import('kysely');
    return (await em.getKysely().executeQuery(CompiledQuery.raw(text, values))).rows as never;
  };
}
