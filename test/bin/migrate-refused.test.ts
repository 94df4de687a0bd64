import { match, rejects } from 'node:assert/strict';
import { readEnv } from '../../config/env.ts';
import { lookAtDatabase } from '../../core/health/database.ts';
import { newConnection } from '../../db/driver.ts';
import { runProgram } from '../../embedded/programs.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';

describe('a database that cannot be migrated', () => {
  /** An empty one, which its superuser has made so. @returns its address */
  async function fresh(name: string, statement: string): Promise<string> {
    const as = async (url: string, text: string) => {
      const client = newConnection(Object.assign(new URL(url), { username: 'postgres' }).href);
      await client.connect();
      await client.query(text);
      await client.end();
    };
    const made = await createDatabase();
    await as(made, `create database ${name} owner campaign template template0`);
    const url = Object.assign(new URL(made), { pathname: `/${name}` }).href;
    await as(url, statement);
    return url;
  }

  const refused = (url: string, words: RegExp) => {
    const env = { ...process.env, DATABASE_URL: url, TEMPORAL_ADDRESS: '127.0.0.1:9', DATA_DIR: dataFolder() };
    return rejects(runProgram('migrate', { logFolder: dataFolder(), env }), (error: Error) => {
      match(error.message, words);
      return !/\bat async\b/.test(error.message);
    });
  };

  it('is said to have no schema public of ours', async () => {
    const words = /may not make tables in a schema public of this database: create schema public authorization campaign, or grant/;
    await refused(await fresh('without_public', 'drop schema public'), words);
    await refused(await fresh('public_of_others', 'alter schema public owner to postgres; revoke all on schema public from public'), words);
  });

  it('is said to be open where its address asks for encryption', async () => {
    await refused(`${await createDatabase()}?sslmode=require`, /DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ has no encrypted connections/);
  });

  it('is said to be put elsewhere by options in its address', async () => {
    await refused(`${await createDatabase()}?options=-c%20search_path%3Dapp`, /search_path = 'public'.*by options in DATABASE_URL/);
  });

  it('is said to take no changes, by doctor, too', async () => {
    const url = await fresh('closed', 'alter database closed set default_transaction_read_only = on');
    await refused(url, /DATABASE_URL: the database takes no changes.*default_transaction_read_only/);
    const { says, todo } = (await lookAtDatabase(url, readEnv({})))[0]!;
    match(`${says}; ${todo}`, /is set to take no changes; set default_transaction_read_only off/);
  });

  it('is said to run no triggers, with what a superuser has to say', async () => {
    await refused(
      await fresh('replicated_into', 'alter database replicated_into set session_replication_role = replica'),
      /have a superuser say alter role "campaign" in database "replicated_into" set session_replication_role = 'origin'/,
    );
  });
});
