import { deepEqual } from 'node:assert/strict';
import type pg from 'pg';
import { eraseUser } from '../../../core/people/erase.ts';
import { mergeUsers } from '../../../core/people/merge.ts';
import { createPool } from '../../../db/pool.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { createDatabase } from '../../support/database.ts';

describe('CRM and partner mappings of users who go', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool(await createDatabase(), 3);
  });
  after(() => pool.end());
  beforeEach(async () => {
    await pool.query('truncate core_crmmap, core_partnerusermap, core_usermerge, core_erasure');
    await pool.query('delete from core_user');
    await pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 4) g`);
    await pool.query(
      `insert into core_crmmap (id, user_id, crm_id, status, done, last_error) select id, id, 'c' || id, 'synced', 1, 'person' from core_user where id > 1`,
    );
    await pool.query(
      'insert into core_partnerusermap (id, user_id, partner_contact_id) select id, id, 100 + id from core_user where id > 1',
    );
  });

  const mappings = async () => {
    const { rows } = await pool.query('select user_id, crm_id, status, ending, wanted > done as open, urgent from core_crmmap order by id');
    return rows.map(({ user_id, crm_id, status, ending, open, urgent }) => [user_id, crm_id, status, ending, open && urgent].join(' '));
  };
  const partners = async () => {
    const { rows } = await pool.query('select user_id, partner_contact_id from core_partnerusermap order by id');
    return rows.map(({ user_id, partner_contact_id }) => `${user_id} ${partner_contact_id}`);
  };

  it('an erased user is disconnected, and the CRM is to be told', async () => {
    const { rows } = await pool.query('insert into core_erasure (user_id) values (2) returning id');
    await inOneTransaction(pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
    deepEqual(await mappings(), ['2 c2 disconnected erased true', '3 c3 synced  false', '4 c4 synced  false']);
    const { rows: errors } = await pool.query('select last_error from core_crmmap where user_id = 2');
    deepEqual(errors, [{ last_error: '' }]);
    // Until the integration has told the partner system, it has to know whom.
    deepEqual(await partners(), ['2 102', '3 103', '4 104']);
  });

  it('a merged user’s mapping moves to a primary who has none; the others are closed', async () => {
    const { rows } = await pool.query(
      `insert into core_usermerge (primary_user, users, address_user, source_user) values (1, '[2, 3]', 1, 1) returning id`,
    );
    await inOneTransaction(pool, (sql) => mergeUsers(sql, rows[0].id));
    deepEqual(await mappings(), ['1 c2 pending  true', ' c3 disconnected gone true', '4 c4 synced  false']);
    deepEqual(await partners(), ['1 102', '4 104']);
  });

  it('a merged user’s mapping that was erased stays behind: the primary can still come into the sync', async () => {
    await pool.query(`update core_crmmap set status = 'disconnected', ending = 'erased', wanted = 2 where user_id = 2`);
    await pool.query(
      `update core_crmmap set status = 'disconnected', ending = 'disconnected', wanted = 2, crm_id = null where user_id = 3`,
    );
    const merge = async (users: string) => {
      const { rows } = await pool.query(
        `insert into core_usermerge (primary_user, users, address_user, source_user) values (1, $1, 1, 1) returning id`,
        [users],
      );
      await inOneTransaction(pool, (sql) => mergeUsers(sql, rows[0].id));
    };
    await merge('[2]');
    deepEqual(await mappings(), [' c2 disconnected erased true', '3  disconnected disconnected true', '4 c4 synced  false']);
    await merge('[3]');
    deepEqual((await mappings())[1], '1  disconnected disconnected true');
  });

  it('a deleted user’s mapping loses its user and waits to be closed', async () => {
    await pool.query('delete from core_user where id = 4');
    deepEqual((await mappings())[2], ' c4 synced  false');
    deepEqual(await partners(), ['2 102', '3 103']);
  });
});
