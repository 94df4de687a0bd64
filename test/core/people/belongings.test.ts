import assert from 'node:assert/strict';
import pg from 'pg';
import { BELONGINGS } from '../../../core/people/belongings.ts';
import { createDatabase } from '../../support/database.ts';

/** Columns with a user's id in them that are no belongings of one user, each for a reason. */
const NO_BELONGINGS: string[] = [
  // The platform's own accounts.
  'auth_user_groups.auth_user_id',
  'auth_consolesession.user_id',
  // Bounds of a block's ids, by which a user's block is found: `send_set.user_ids` names the people.
  'send_set.least_user',
  'send_set.most_user',
];

describe('what hangs on a user', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 2 });
  });
  after(() => pool.end());

  it('names every column that refers to a user or is named like one', async () => {
    const { rows } = await pool.query<{ at: string }>(`
      select distinct c.table_name || '.' || c.column_name as at from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
        and (c.column_name ~ '(^|_)user(_id)?$' and c.data_type in ('integer', 'bigint')
          or exists (select from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey)
            where f.contype = 'f' and f.confrelid = 'core_user'::regclass and f.conrelid = to_regclass(quote_ident(c.table_name)) and a.attname = c.column_name))
      order by 1`);
    const declared = new Set(BELONGINGS.map(({ table, column }) => `${table}.${column}`));
    assert.deepEqual(
      rows.map(({ at }) => at).filter((at) => !declared.has(at) && !NO_BELONGINGS.includes(at)),
      [],
    );
  });

  it('says of each what the database does on a delete', async () => {
    const { rows } = await pool.query(`
      select f.conrelid::regclass::text || '.' || a.attname as at, f.confdeltype as rule, f.confrelid::regclass::text as target
      from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = any(f.conkey) where f.contype = 'f'`);
    for (const { table, column, through, delete: rule } of BELONGINGS) {
      const key = rows.find(({ at, target }) => at === `${table}.${column}` && target === (through?.table ?? 'core_user'));
      const at = `${table}.${column}`;
      if (rule === 'cascade') assert.equal(key?.rule, 'c', at);
      else if (key) assert.equal([rule, key.rule].join(), 'clear,n', at);
    }
  });

  it('names columns that are there', async () => {
    for (const { table, column, erase } of BELONGINGS) {
      const set = typeof erase === 'object' && 'set' in erase ? Object.keys(erase.set) : [];
      await pool.query(`select ${[column, ...set].join(', ')} from ${table} limit 0`);
    }
  });
});
