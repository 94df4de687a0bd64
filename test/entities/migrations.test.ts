import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { migrations } from '../../migrations/index.ts';
import { createDatabase } from '../support/database.ts';

describe('the migrations', () => {
  let orm: Orm;
  let url: string;
  before(async () => {
    url = await createDatabase();
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
  });
  after(() => orm.close(true));

  it('make the tables the entities describe', async () => {
    const changes = (await orm.schema.getUpdateSchemaSQL({ wrap: false })).split('\n').filter((line) => line.trim());
    assert.deepEqual(changes, []);
  });

  it('are listed in the order of their names, every file under its own', () => {
    const files = readdirSync('migrations').filter((file) => file !== 'index.ts');
    assert.deepEqual(
      migrations.map(({ name }) => `${name}.ts`),
      files.sort(),
    );
  });

  it('are all run, in the order of the list', async () => {
    assert.deepEqual(await orm.migrator.getPending(), []);
  });

  it('leave the command line of the ORM nothing to add', async () => {
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await promisify(execFile)('node_modules/.bin/mikro-orm', ['migration:check'], { env });
    assert.match(stdout, /schema is up-to-date/i);
  });
});
