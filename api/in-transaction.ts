import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '../db/orm-sql.ts';
import type { Sql } from '../db/sql.ts';
import { AGAIN_WHERE_GONE, againAfterDeadlock } from '../db/transaction.ts';
import type { ApiContext } from './deps.ts';

/** Runs `work` in one transaction of an entity manager of its own. Deadlocks are tried again, and so is what refers to something that was deleted meanwhile. */
export async function inTransaction<Result>(
  context: ApiContext,
  work: (em: EntityManager, sql: Sql) => Promise<Result>,
  again = AGAIN_WHERE_GONE,
): Promise<Result> {
  return againAfterDeadlock(() => context.orm.em.fork().transactional((em) => work(em, sqlOf(em))), again);
}
