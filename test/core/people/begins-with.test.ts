import assert from 'node:assert/strict';
import pg from 'pg';
import { findPeople, type Place, type Way } from '../../../core/people/find-people.ts';
import { sqlOn } from '../../../db/sql.ts';
import { connectOrm } from '../../../entities/orm.ts';
import { createDatabase } from '../../support/database.ts';
import { rowsRead } from '../../support/rows-read.ts';

const PEOPLE = 20_000;

/** As servers make them where nobody says how texts are to be sorted: by the language of the machine. */
async function sortedLikeEnglish(): Promise<string> {
  const url = await createDatabase();
  const english = Object.assign(new URL(url), { pathname: `${new URL(url).pathname}_english` });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${english.pathname.slice(1)} template template0 locale_provider icu icu_locale 'en-US'`);
  await client.end();
  const orm = await connectOrm({ DATABASE_URL: english.href, DATABASE_POOL: 1 });
  await orm.migrator.up();
  await orm.close(true);
  return english.href;
}

describe('people who are looked for by how a name or an address begins', () => {
  for (const [sorted, make] of [
    ['by signs', createDatabase],
    ['as English is', sortedLikeEnglish],
  ] as const) {
    describe(`in a database that sorts ${sorted}`, () => {
      let pool: pg.Pool;
      before(async () => {
        pool = new pg.Pool({ connectionString: await make(), max: 2 });
        await pool.query(`insert into core_user (email, first_name, last_name)
          select 'person' || n || '@example.org', (array['Ann', 'ann', 'ÁNN'])[1 + n % 3], 'Family' || n % 5000 from generate_series(1, ${PEOPLE}) n`);
        await pool.query(
          `insert into core_user (email, first_name, last_name) values ('o.smith@example.org', 'Özge', 'van Smith'), ('O-smithson@example.org', 'Bo', 'Van-Smith')`,
        );
        await pool.query('vacuum analyze core_user');
      });
      after(() => pool.end());

      const few = async (way: Way, words: string, least: number, after: Place | null = null) => {
        const rows = await rowsRead(pool, 'core_user', async () => {
          const { people } = await findPeople(sqlOn(pool), way, words, 20, after);
          assert.ok(people.length >= least, `${people.length} by ${words}`);
        });
        assert.ok(rows < 200, `${rows} people were read for ${words}`);
      };

      it('are found without the others being read', async () => {
        await few('address', 'PERSON1777', 11);
        await few('address', 'person', 20);
        await few('last_name', 'family4999', 4);
        await few('first_name', 'özge', 1);
        await few('name', 'Ann Family4998', 1);
        await few('address', 'nobody@', 0);
      });

      it('are found page by page, each once', async () => {
        const found: number[] = [];
        for (let after: Place | null = null, page = 0; page < 20; page++) {
          if (page === 2) await few('last_name', 'family49', 20, after);
          const { people, next } = await findPeople(sqlOn(pool), 'last_name', 'family49', 100, after);
          found.push(...people.map(({ id }) => id));
          after = next;
          if (!next) break;
        }
        const { rows } = await pool.query(`select count(*)::int as n from core_user where last_name like 'Family49%'`);
        assert.deepEqual([found.length, new Set(found).size], [rows[0].n, rows[0].n]);
      });

      it('are found whatever signs they have', async () => {
        const emails = async (way: Way, words: string) => (await findPeople(sqlOn(pool), way, words, 20)).people.map(({ email }) => email);
        assert.deepEqual(await emails('address', 'o.'), ['o.smith@example.org']);
        assert.deepEqual(await emails('address', 'o-'), ['O-smithson@example.org']);
        assert.deepEqual(await emails('last_name', 'van '), ['o.smith@example.org']);
      });
    });
  }
});
