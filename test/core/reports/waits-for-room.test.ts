import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder } from '../../support/data-folder.ts';
import { smallDisk, whyNotMountable } from '../../support/small-disk.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

describe('a report in the background that cannot be run for long', () => {
  const DATA_DIR = dataFolder();
  let platform: WholePlatform;

  async function started(settings: Record<string, string>): Promise<WholePlatform> {
    const made = await wholePlatform(settings, []);
    await made.api.create('queryreport', {
      name: 'Many',
      short_name: 'many',
      sql: 'select repeat(n::text, 100) as n from generate_series(1, 1000) n',
    });
    return made;
  }
  before(async () => {
    platform = await started({ DATA_DIR });
  });
  after(() => platform?.close());

  /** Nearly a quarter of an hour passes, in which each try came to nothing as the one that was seen; then some more are made. @returns the task, and how it is told why it waits */
  async function afterManyTries(platform: WholePlatform): Promise<{ task: string; said: string[] }> {
    const task = await platform.post('/rest/v1/report/background/many/');
    const waiting = ({ errors }: { errors: string[] }) => errors.length > 0;
    const { errors } = await platform.watch(task, waiting);
    await platform.api.pool.query('update core_backgroundtask set runs = waited + 19');
    await sleep(6_000);
    assert.equal((await platform.api.read(task)).finished, false, JSON.stringify(await platform.api.read(task)));
    return { task, said: errors };
  }

  it('waits for room on the disk of its result, says so, and is done when there is some', async function () {
    const why = whyNotMountable();
    if (why) {
      console.log(`      cannot be staged here, for no file system can be mounted: ${why}`);
      this.skip();
    }
    const disk = smallDisk(join(DATA_DIR, 'reports'), '1m');
    disk.fill();
    const { task, said } = await afterManyTries(platform);
    assert.deepEqual(said, ['It is tried again: there is no room left on the disk for its result.']);
    disk.free();
    const { success, row_count: rows, errors } = await platform.watch(task);
    assert.deepEqual([success, rows, errors], [true, 1000, []]);
  });

  it('waits for room on the disk of the database, where its result is kept there', async () => {
    const inDatabase = await started({ REPORT_FILES: 'database' });
    try {
      const { pool } = inDatabase.api;
      await pool.query(`
        create function refuse_chunk() returns trigger language plpgsql as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger refuse_chunk before insert on report_filechunk for each row execute function refuse_chunk()`);
      const { task, said } = await afterManyTries(inDatabase).finally(() => pool.query('drop function refuse_chunk cascade'));
      assert.deepEqual(said, ['It is tried again: there is no room left on the disk for its result.']);
      const { success, row_count: rows, errors } = await inDatabase.watch(task);
      assert.deepEqual([success, rows, errors], [true, 1000, []]);
    } finally {
      await inDatabase.close();
    }
  });

  it('waits for a disk that takes no changes, says so, holds no connection meanwhile, and is done when it takes some', async function () {
    const why = whyNotMountable();
    if (why) {
      console.log(`      cannot be staged here, for no file system can be mounted: ${why}`);
      this.skip();
    }
    const folder = dataFolder();
    const disk = smallDisk(folder, '20m');
    const onDisk = await started({ DATA_DIR: folder });
    try {
      const { api } = onDisk;
      disk.setReadOnly(true);
      await api.call('PATCH', '/rest/v1/queryreport/1/', { sql: `select repeat('x', 1000) from generate_series(1, 10000) n` });
      const { task, said } = await afterManyTries(onDisk);
      assert.deepEqual(said, ['It is tried again: the disk for its result cannot be written to.']);
      const { rows } = await api.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'campaign-report'`,
      );
      assert.ok(rows.length <= 1, `${rows.length} connections are held`);
      disk.setReadOnly(false);
      const { success, errors } = await onDisk.watch(task);
      assert.deepEqual([success, errors], [true, []]);
    } finally {
      disk.setReadOnly(false);
      await onDisk.close();
    }
  });

  it('waits for a connection of the database, says so, and is done when there is one', async () => {
    const { pool } = platform.api;
    // The login may do anything with that of the reports, which it has made.
    await pool.query('alter role campaign_report connection limit 0');
    const { task, said } = await afterManyTries(platform).finally(() => pool.query('alter role campaign_report connection limit 50'));
    assert.match(said[0]!, /^It is tried again: The database has no connection for a report/);
    const { success, row_count: rows, errors } = await platform.watch(task);
    assert.deepEqual([success, rows, errors], [true, 1000, []]);
  });
});
