import { deepEqual, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { writeBackup } from '../../../core/backup/dump.ts';
import { loadBackup } from '../../../core/backup/load.ts';
import { refuseUsed } from '../../../core/backup/refuse-used.ts';
import { newConnection } from '../../../db/driver.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { createDatabase } from '../../support/database.ts';

describe('a restore into a database that is not empty', () => {
  const folder = join(dataFolder(), 'backup');
  before(async () => {
    await writeBackup(await createDatabase(), folder);
  });

  it('says what is to be done where it holds only what a restore left that was killed before', async () => {
    const message = /is not empty: .* tables and nobody in them, .* drop it, create it anew, and restore again$/;
    await rejects(loadBackup(await createDatabase(), folder), { message });
  });

  it('tells nobody to drop what is used, or what something is at work in', async () => {
    const message = /is not empty: a backup is restored into a fresh one$/;
    const url = await createDatabase();
    const client = newConnection(url);
    await client.connect();
    try {
      await client.query('begin; lock table core_user in access exclusive mode');
      await rejects(loadBackup(url, folder), { message });
      await client.query('rollback');
      await client.query(`insert into core_user (email) values ('ann@example.org')`);
      await rejects(loadBackup(url, folder), { message });
    } finally {
      await client.end();
    }
  });

  it('leaves nothing behind on its connection, which a pooler gives to others of the platform', async () => {
    const client = newConnection(await createDatabase());
    await client.connect();
    try {
      await rejects(refuseUsed(client));
      const left = await client.query(`select current_setting('lock_timeout') as limit, now() = statement_timestamp() as outside`);
      deepEqual(left.rows, [{ limit: '0', outside: true }]);
    } finally {
      await client.end();
    }
  });
});
