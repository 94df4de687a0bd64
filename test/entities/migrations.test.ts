import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import pg from 'pg';
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

  it('are all run by an owner of tables who may make no extension, who then has no index for parts of names', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    try {
      await admin.query(`create role tables_only login password 'tables-only'`);
      await admin.query('create database of_tables template template0');
      const inside = Object.assign(new URL(url), { pathname: '/of_tables' });
      const owner = new pg.Client({ connectionString: inside.href });
      await owner.connect();
      await owner.query('grant create on schema public to tables_only').finally(() => owner.end());
      const bare = await connectOrm({
        DATABASE_URL: Object.assign(new URL(inside), { username: 'tables_only', password: 'tables-only' }).href,
        DATABASE_POOL: 1,
      });
      try {
        await bare.migrator.up();
        assert.deepEqual(await bare.migrator.getPending(), []);
        const found = await bare.em.execute(`select to_regclass('core_user_parts_index')::text as index`);
        assert.deepEqual(found, [{ index: null }]);
      } finally {
        await bare.close(true);
      }
    } finally {
      await admin.end();
    }
  });

  it('leave the command line of the ORM nothing to add', async () => {
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await promisify(execFile)('node_modules/.bin/mikro-orm', ['migration:check'], { env });
    assert.match(stdout, /schema is up-to-date/i);
  });
});
