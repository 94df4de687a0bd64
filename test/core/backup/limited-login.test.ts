import { equal } from 'node:assert/strict';
import { join } from 'node:path';
import { writeBackup } from '../../../core/backup/dump.ts';
import { loadBackup } from '../../../core/backup/load.ts';
import { newConnection } from '../../../db/driver.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { createDatabase } from '../../support/database.ts';

// Between two tables the server waits for the disk of whoever takes the backup.
describe('a database that ends transactions whose owner keeps it waiting', () => {
  it('lets a backup be taken, and restored', async () => {
    const folder = join(dataFolder(), 'backup');
    const url = await createDatabase();
    const client = newConnection(url);
    await client.connect();
    const { rows } = await client.query('select current_database() as name');
    await client.query(`alter database ${rows[0].name} set idle_in_transaction_session_timeout = '1ms'`);
    await client.query(`insert into core_user (email) values ('ann@example.org')`);
    try {
      const { tables } = await writeBackup(url, folder);
      await client.query('drop schema public cascade');
      await client.query('create schema public');
      await client.query('drop schema if exists report cascade');
      await client.query('drop schema if exists mysql cascade');
      await loadBackup(url, folder);
      equal(tables.find(({ name }) => name === 'core_user')!.rows, 1);
      equal((await client.query('select count(*)::int as people from core_user')).rows[0].people, 1);
    } finally {
      await client.end();
    }
  });
});
