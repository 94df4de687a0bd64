import { equal, match, rejects } from 'node:assert/strict';
import { readEnv } from '../../config/env.ts';
import { lookAtDatabase } from '../../core/health/database.ts';
import { newConnection } from '../../db/driver.ts';
import { checkServer } from '../../db/server-version.ts';
import { connectOrm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

/** An empty database on the tests' server. @returns its address */
async function fresh(name: string, letters: string): Promise<string> {
  const made = await createDatabase();
  const client = newConnection(made);
  await client.connect();
  await client.query(`create database ${name} template template0 ${letters}`);
  await client.end();
  return Object.assign(new URL(made), { pathname: `/${name}` }).href;
}

async function migrate(url: string) {
  const orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
  await orm.migrator.up();
  return orm;
}

const foundOf = async (url: string) =>
  (await lookAtDatabase(url, readEnv({ ALLOW_ASYNC_STANDBY: 'true' }))).filter(({ state }) => state !== 'well');

describe('the letters of a database', () => {
  it('are refused where people would be there twice, before anything is written', async () => {
    const turkish = await fresh('turkish', `encoding UTF8 locale 'C' locale_provider icu icu_locale 'tr'`);
    await rejects(
      checkServer(turkish),
      /^Error: DATABASE_URL: the database has letters of its own .* is abcdefghıjkl.*two people.*operations\.md/,
    );
    for (const encoding of ['SQL_ASCII', 'LATIN1'])
      await rejects(
        checkServer(await fresh(`in_${encoding.toLowerCase()}`, `encoding ${encoding} locale 'C'`)),
        new RegExp(`is in ${encoding}, and has to be in UTF8`),
      );
  });

  it('are said where a platform lives with them', async () => {
    const url = await fresh('turkish_in_use', `encoding UTF8 locale 'C' locale_provider icu icu_locale 'tr'`);
    const orm = await migrate(url);
    for (const email of ['INFO@example.org', 'info@example.org']) await orm.em.execute('insert into core_user (email) values (?)', [email]);
    await orm.close(true);
    match((await checkServer(url)) ?? '', /two people/);
    match(JSON.stringify(await foundOf(url)), /"database","state":"wrong","says":"the database has letters of its own/);
  });

  it('are said where capitals beyond ASCII are not known, and nothing where they are', async () => {
    for (const [name, letters] of [
      ['of_c', `locale 'C'`],
      ['of_icu', `locale 'C' locale_provider icu icu_locale 'en-US'`],
    ] as const) {
      const url = await fresh(name, `encoding UTF8 ${letters}`);
      match((await checkServer(url)) ?? '', /beyond ASCII/);
      match(JSON.stringify(await foundOf(url)), /"state":"look","says":"the database does not know capitals/);
    }
    equal(await checkServer(await createDatabase()), null);
  });
});
