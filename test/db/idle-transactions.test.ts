import { deepEqual } from 'node:assert/strict';
import { inAbortableTransaction } from '../../db/abortable-transaction.ts';
import type { Pool } from '../../db/driver.ts';
import { sqlOf } from '../../db/orm-sql.ts';
import { createPool } from '../../db/pool.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction, inPreparedTransaction } from '../../db/transaction.ts';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

describe('a transaction that stands still', () => {
  let pool: Pool;
  let orm: Orm;
  before(async () => {
    const url = await createDatabase();
    pool = createPool(url, 1);
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
  });
  after(async () => {
    await pool.end();
    await orm.close(true);
  });

  const limit = async (sql: Sql) =>
    (await sql<{ it: string }>(`select current_setting('idle_in_transaction_session_timeout') as it`))[0]!.it;

  for (const [who, begin] of [
    ['the pool', () => inOneTransaction(pool, limit)],
    ['the pool, prepared', () => inPreparedTransaction(pool, limit)],
    ['what can be called off', () => inAbortableTransaction(pool, undefined, (client) => limit(sqlOn(client)))],
    ['the ORM', () => orm.em.fork().transactional((em) => limit(sqlOf(em)))],
  ] as const)
    it(`is ended by the server, whoever began it: ${who}`, async () => {
      deepEqual([await begin(), await limit(sqlOn(pool))], ['20s', '0']);
    });
});
