import assert from 'node:assert/strict';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

describe('the migrations', () => {
  let orm: Orm;
  before(async () => {
    orm = await connectOrm({ DATABASE_URL: await createDatabase(), DATABASE_POOL: 1 });
  });
  after(() => orm.close(true));

  it('make the tables the entities describe', async () => {
    const changes = (await orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n').filter((line) => line.trim());
    assert.deepEqual(changes, []);
  });

  it('are all run, in the order of the list', async () => {
    assert.deepEqual(await orm.migrator.getPending(), []);
  });
});
