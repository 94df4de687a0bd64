import { ok } from 'node:assert/strict';
import type pg from 'pg';
import { audienceQuery } from '../../../core/sending/audience.ts';
import { createPool } from '../../../db/pool.ts';
import type { CompiledMailing } from '../../../mail/contracts.ts';
import { createDatabase } from '../../support/database.ts';
import { plainMail, seedMailing } from '../../support/sending.ts';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

describe('a page of recipients', () => {
  let pool: pg.Pool;
  let id: number;
  const PEOPLE = 20_000;
  const PAGE = 2000;
  const LISTS = Array.from({ length: 10 }, (_, n) => n + 1);

  before(async () => {
    pool = createPool(await createDatabase(), 2);
    await pool.query(`insert into core_list (name) select 'list ' || n from generate_series(2, 10) n`);
    id = await seedMailing(pool, PEOPLE, { shardSize: 10_000 });
    await pool.query(`insert into core_blackholedemail (email) select 'never' || n || '@example.org' from generate_series(1, 20000) n`);
    await pool.query(
      `insert into core_userfield (parent_id, name, value) select id, 'f' || n, 'x' from core_user, generate_series(1, 3) n`,
    );
    await pool.query(`insert into core_mergefile (name, filename, lookup_column, columns) values ('f', 'f', 'user_id', '["color"]')`);
    await pool.query(`insert into core_mergefilerow (mergefile_id, user_id, values) select 1, id, '{"color": "red"}' from core_user`);
    await pool.query(`insert into core_location (user_id, us_district) select id, 'CA_12' from core_user`);
    await pool.query('vacuum analyze');
  });
  after(() => pool.end());

  const named = Array.from({ length: PAGE }, (_, n) => n * 5 + 1);
  const pages = { 'one after another': [1, PAGE, null, []], 'named, all over their shard': [1, 10_000, named, []] };
  const templates: Record<string, Partial<CompiledMailing>> = {
    'no more than their address': {},
    'their custom fields': { needsFields: true },
    'their row of the merge file': { mergefile: 1 },
    'all there is': { needsFields: ['f1'], mergefile: 1, needsLocation: true },
  };
  for (const [which, positions] of Object.entries(pages)) {
    for (const [what, needs] of Object.entries(templates)) {
      // The planner knows nothing of what a walk through an index finds: joined by loops, each of a page was held against all of it, and whole tables were read for a page.
      it(`${which} is read without going through all of it for each, with ${what}`, async () => {
        const { rows } = await pool.query(`explain (analyze, timing off, format json) ${audienceQuery({ ...plainMail, ...needs }, true)}`, [
          id,
          ...positions,
          LISTS,
        ]);
        const walk = (node: Node): void => {
          const gone = (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'];
          ok(gone <= 20 * PAGE, `${node['Node Type']} went through ${gone} rows for nothing`);
          const read = node['Relation Name'] ? node['Actual Rows'] * node['Actual Loops'] : 0;
          ok(read <= 10 * PAGE, `${read} rows of ${node['Relation Name']} were read`);
          node.Plans?.forEach(walk);
        };
        walk(rows[0]['QUERY PLAN'][0].Plan);
      });
    }
  }
});
