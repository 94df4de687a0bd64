import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { migrations } from '../../migrations/index.ts';
import { git, newestRelease } from '../../tools/previous-release/git.ts';
import { createDatabase } from '../support/database.ts';
import { takesAway } from '../support/takes-away.ts';

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
    const files = readdirSync('migrations').filter((file) => /^\d/.test(file));
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

  it('take nothing away that the release before uses, but in one that is named contract', async function () {
    const release = newestRelease();
    if (!release) {
      console.log('      nothing is released yet: all of them make tables as they are');
      return this.skip();
    }
    const released = git('ls-tree', '--name-only', release, 'migrations/');
    const since = migrations.filter(({ name }) => !released.includes(`${name}.ts`) && !name.includes('-contract-'));
    for (const { name, class: Migration } of since) {
      const migration = new Migration(orm.em.getDriver(), orm.config);
      await migration.up();
      assert.deepEqual(await takesAway(migration.getQueries().join(';\n')), [], name);
    }
  });

  it('are known to take something away, each in its way', async () => {
    const taking = {
      'drops a column': 'alter table a add e int, drop column b',
      'drops a table': 'drop table a',
      'drops a view': 'drop view a',
      renames: 'alter table a rename column b to c',
      'gives a column another type': 'alter table a alter column b type bigint',
      'forbids null in a column': 'alter table a alter column b set not null',
      'drops a default': 'alter table a alter column b drop default',
      'adds a column that must be given': 'alter table a add column b int not null',
      'empties a table': 'truncate a',
    };
    for (const [phrase, sql] of Object.entries(taking)) assert.deepEqual(await takesAway(sql), [phrase], sql);
    const adding = [
      ...['create table a (b int not null)', 'create index on a (b)', 'drop index c', 'alter table a add b int not null default 1'],
      ...[
        'alter table a add b serial primary key',
        'alter table a drop constraint d, add constraint d check (b > 0)',
        'update a set b = 1',
      ],
    ];
    for (const sql of adding) assert.deepEqual(await takesAway(sql), [], sql);
  });

  it('leave the command line of the ORM nothing to add', async () => {
    const env = { ...process.env, DATABASE_URL: url };
    const { stdout } = await promisify(execFile)('node_modules/.bin/mikro-orm', ['migration:check'], { env });
    assert.match(stdout, /schema is up-to-date/i);
  });
});
