import pg from 'pg';
import { startPostgres } from '../../embedded/postgres.ts';
import { connectOrm } from '../../entities/orm.ts';
import { dataFolder } from './data-folder.ts';
import { atEnd, once } from './endings.ts';

let databases = 0;

/** Nothing outlives the tests, so nobody waits for the disk, and little is written of it. What must hold over a crash is tried with a server of the platform's own. */
const FORGETFUL = { fsync: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0', max_wal_size: '256MB' };

const server = once(async () => {
  const folder = dataFolder();
  const programsOf = process.env['TEST_POSTGRES'];
  const postgres = await startPostgres({ dataDir: folder, parameters: FORGETFUL, ...(programsOf && { programsOf }) });
  const orm = await connectOrm({ DATABASE_URL: postgres.url, DATABASE_POOL: 1 });
  await orm.migrator.up();
  await orm.close(true);
  const admin = new pg.Client({ connectionString: addressOf(postgres.url, 'postgres', 'postgres') });
  await admin.connect();
  atEnd(() => postgres.stop());
  atEnd(() => admin.end());
  return { postgres, admin };
});

function addressOf(url: string, database: string, username = new URL(url).username): string {
  return Object.assign(new URL(url), { username, pathname: `/${database}` }).href;
}

/**
 * A fresh, migrated, empty database of one test's or one describe block's own, on the PostgreSQL server this mocha process shares. It is gone with the file.
 * @returns its URL
 */
export async function createDatabase(): Promise<string> {
  const { postgres, admin } = await server();
  const name = `test_${++databases}`;
  // Files are copied in half the time that blocks through the log take.
  await admin.query(`create database ${name} template campaign owner campaign strategy file_copy`);
  atEnd(() => drop(admin, name));
  return addressOf(postgres.url, name);
}

/** Connections that are being closed have some seconds for it: a pool that hears of its end from the server fails. The others belonged to processes that were killed. */
async function drop(admin: pg.Client, name: string): Promise<void> {
  try {
    await admin.query(`drop database ${name}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== '55006') throw error;
    await admin.query(`drop database ${name} with (force)`);
  }
}
