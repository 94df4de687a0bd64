import assert from 'node:assert/strict';
import pg from 'pg';
import { sqlOf } from '../../db/orm-sql.ts';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

describe('the ORM’s connections', () => {
  let orm: Orm;
  let killer: pg.Client;
  before(async () => {
    const url = await createDatabase();
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 2 });
    killer = new pg.Client({ connectionString: url });
    await killer.connect();
  });
  after(async () => {
    await killer.end();
    await orm.close(true);
  });

  it('do not run out when the server ends them inside transactions', async () => {
    for (let n = 0; n < 6; n++) {
      await assert.rejects(
        orm.em.fork().transactional(async (em) => {
          const sql = sqlOf(em);
          const [self] = await sql<{ pid: number }>('select pg_backend_pid() as pid');
          await killer.query('select pg_terminate_backend($1)', [self!.pid]);
          await sql('select 1');
        }),
        /terminat|not queryable/i,
      );
    }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => orm.em.fork().transactional((em) => sqlOf(em)<{ one: number }>('select 1 as one'))),
    );
    assert.ok(answers.every(([row]) => row?.one === 1));
  });
});
