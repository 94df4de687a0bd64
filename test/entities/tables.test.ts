import assert from 'node:assert/strict';
import pg from 'pg';
import { sqlOn } from '../../db/sql.ts';
import { anyTables, json, NOW, run, statement, tables } from '../../entities/tables.ts';
import { createDatabase } from '../support/database.ts';

describe('statements made from the entities', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 1 });
  });
  after(() => pool.end());

  it('do not compile with a table or column no entity has', () => {
    // @ts-expect-error there is no such column
    tables.selectFrom('core_page').select('nickname');
    // @ts-expect-error there is no such table
    tables.selectFrom('core_book');
    // @ts-expect-error a name is text
    tables.insertInto('core_page').values({ name: 7, type: 'signup' });
    // @ts-expect-error a page has a type
    tables.insertInto('core_page').values({ name: 'typeless' });
  });

  it('are made once and bind what they are given each time', async () => {
    let made = 0;
    const add = statement(({ name, fields }: { name: string; fields: string }) => {
      made++;
      const page = { name, type: 'signup', fields: json<Record<string, unknown>>(fields), updated_at: NOW } as const;
      return tables.insertInto('core_page').values(page).returning(['name', 'type', 'fields']);
    });
    const sql = sqlOn(pool);
    const pages = [await add(sql, { name: 'a', fields: '{}' }), await add(sql, { name: 'b', fields: '{"x":["`$1"]}' })].flat();
    assert.deepEqual(pages, [
      { name: 'a', type: 'signup', fields: {} },
      { name: 'b', type: 'signup', fields: { x: ['`$1'] } },
    ]);
    assert.equal(made, 1);
  });

  it('bind whatever is given as a value, never as SQL', async () => {
    const wicked = `'); drop table core_page; --`;
    const page = anyTables.insertInto('core_page').values({ name: wicked, type: 'signup' });
    assert.deepEqual(await run(sqlOn(pool), page.returning('name')), [{ name: wicked }]);
  });
});
