import assert from 'node:assert/strict';
import fc from 'fast-check';
import pg from 'pg';
import { openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { rebuildSet } from '../../../core/targeting/rebuild-set.ts';
import { REBUILDABLE } from '../../../domain/mailing-status.ts';
import type { Targeting } from '../../../domain/targeting/fields.ts';
import { createDatabase } from '../../support/database.ts';
import { insertPeople } from '../../support/people.ts';

const PEOPLE = 60;

describe('a fast rebuild', () => {
  let pool: pg.Pool;
  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 6 });
    await pool.query(`insert into core_list (id, name) values (1, 'News'), (2, 'Alerts');
      insert into core_page (id, name, type) values (1, 'one', 'petition'), (2, 'give', 'donation')`);
    await insertPeople(
      pool,
      Array.from({ length: PEOPLE }, (_, index) => ({
        id: index + 1,
        email: `p${index + 1}@example.org`,
        state: index % 2 ? 'NY' : 'CA',
        zip: `1000${index % 10}`,
        lists: [1, 2].filter((list) => index % (list + 1)),
      })),
    );
    await pool.query(
      `insert into core_location (user_id, us_district) select id, case when id % 3 = 0 then 'NY_12' else '' end from core_user where id % 4 > 0`,
    );
  });
  after(() => pool.end());

  async function mailing(includes: Targeting = {}, excludes: Targeting = {}, more: Record<string, unknown> = {}): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      'insert into core_mailing (includes, excludes, "limit", sort_by) values ($1, $2, $3, $4) returning id',
      [includes, excludes, more['limit'] ?? null, more['sort_by'] ?? null],
    );
    return rows[0]!.id;
  }

  /** @returns whether it was a fast one, and who is in the set */
  async function build(mailingId: number, fast: boolean, fastRebuild = true): Promise<{ fast: boolean; people: number[]; count: number }> {
    const jobId = await openRebuildJob(pool, mailingId);
    await pool.query('update core_mailingrebuild set fast = $2 where id = $1', [jobId, fast]);
    const deps = { pool, reportDatabaseUrl: '', statementTimeoutMs: 10_000, fastRebuild };
    const { count } = await rebuildSet(deps, { mailingId, jobId, during: REBUILDABLE });
    const { rows } = await pool.query('select user_id from send_record where mailing_id = $1 order by user_id', [mailingId]);
    const job = await pool.query('select was_fast, finished, success, results from core_mailingrebuild where id = $1', [jobId]);
    assert.deepEqual({ ...job.rows[0], was_fast: fast }, { was_fast: fast, finished: true, success: true, results: count });
    return { fast: job.rows[0].was_fast, people: rows.map(({ user_id }) => user_id), count };
  }

  const user = fc.integer({ min: 1, max: PEOPLE });
  const statement = (text: string) => fc.tuple(fc.constant(text), user);
  /** What may happen to people; `$1` is one of them. */
  const changes = fc.array(
    fc.oneof(
      statement(
        `update core_user set subscription_status = case subscription_status when 'subscribed' then 'bounced' else 'subscribed' end where id = $1`,
      ),
      statement(`update core_user set state = case state when 'NY' then 'CA' else 'NY' end where id = $1`),
      statement(`update core_user set zip = '10009', email = 'x' || $1::int || '@example.org' where id = $1::int`),
      statement('delete from core_subscription where user_id = $1 and list_id = 1'),
      statement('insert into core_subscription (user_id, list_id) select id, 1 from core_user where id = $1 on conflict do nothing'),
      statement('delete from core_location where user_id = $1'),
      statement(
        `insert into core_location (user_id, us_district) select id, 'NY_12' from core_user where id = $1 on conflict (user_id) do update set us_district = 'CA_01'`,
      ),
      statement('insert into core_action (user_id, page_id) select id, 1 from core_user where id = $1'),
      statement(`update core_action set status = 'incomplete' where user_id = $1`),
      statement('delete from core_action where user_id = $1 and page_id = 1'),
      statement(`insert into core_blackholedemail (email) select lower(email) from core_user where id = $1 on conflict do nothing`),
      statement('delete from core_blackholedemail where email = (select lower(email) from core_user where id = $1)'),
      statement('delete from core_user where id = $1 and id > 50'),
      statement(
        `insert into core_user (id, email, subscription_status, state) values ($1::int, 'again' || $1::int || '@example.org', 'subscribed', 'NY') on conflict do nothing`,
      ),
      statement(`with a as (insert into core_action (user_id, page_id) select id, 2 from core_user where id = $1 returning id, user_id),
          d as (insert into core_orderuserdetail (user_id) select user_id from a returning id)
        insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted)
        select a.id, a.user_id, d.id, (select min(id) from core_paymentaccount), 5, 5 from a, d`),
      statement(`update core_order set status = 'reversed' where user_id = $1`),
    ),
    { minLength: 1, maxLength: 8 },
  );

  const targeting: fc.Arbitrary<Targeting> = fc
    .record({
      lists: fc.subarray([1, 2]),
      states: fc.subarray(['NY', 'CA']),
      zips: fc.subarray(['10009', '1000*']),
      cds: fc.subarray(['NY_12', 'CA_01']),
      actions: fc.subarray([1]),
      has_donated: fc.boolean(),
      users: fc.uniqueArray(user),
    })
    .chain((all) => fc.subarray(Object.entries(all), { maxLength: 2 }))
    .map(Object.fromEntries);

  it('gives the set a full one gives, whatever has happened to people since', async () => {
    let fasts = 0;
    let sets = 0;
    await fc.assert(
      fc.asyncProperty(targeting, targeting, fc.array(changes, { minLength: 1, maxLength: 3 }), async (includes, excludes, rounds) => {
        const fast = await mailing(includes, excludes);
        const full = await mailing(includes, excludes);
        await build(fast, false);
        for (const round of rounds) {
          for (const [text, id] of round) await pool.query(text, [id]);
          const built = await build(fast, true);
          const expected = await build(full, false);
          assert.deepEqual(built.people, expected.people);
          assert.deepEqual([built.fast, built.count, expected.fast], [true, expected.count, false]);
          fasts++;
          sets += built.count;
        }
      }),
      { seed: 20_261_121, numRuns: 40 },
    );
    assert.ok(fasts > 50 && sets > 300, `${fasts} ${sets}`);
  });

  it('sees what was under way while its base was built', async () => {
    const id = await mailing({ lists: [2] });
    const { rows } = await pool.query(
      `insert into core_user (email, subscription_status) values ('late@example.org', 'subscribed') returning id`,
    );
    await pool.query(
      'insert into core_subscription (user_id, list_id) select id, 2 from core_user where id in (31, 33) on conflict do nothing',
    );
    const other = await pool.connect();
    await other.query('begin');
    await other.query('savepoint one');
    await other.query('insert into core_subscription (user_id, list_id) values ($1, 2)', [rows[0].id]);
    await other.query('delete from core_subscription where user_id = 31');
    await build(id, false);
    await other.query('commit');
    other.release();
    // Another build in between clears away what no base needs.
    await build(await mailing({ lists: [1] }), false);
    const built = await build(id, true);
    assert.equal(built.fast, true);
    assert.deepEqual([built.people.includes(rows[0].id), built.people.includes(31)], [true, false]);
  });

  it('is a full one where that is the only way to know', async () => {
    const refused: [string, () => Promise<number>][] = [
      ['no set yet', () => mailing({ states: ['NY'] })],
      ['a limit', () => mailing({ states: ['NY'] }, {}, { limit: 5 })],
      ['an order', () => mailing({ states: ['NY'] }, {}, { sort_by: 'zip' })],
      ['the clock', () => mailing({ was_monthly_donor: ['active'] })],
      ['another mailing', () => mailing({}, { mailings: [1] })],
      ['the map', () => mailing({ zips: ['Albany, NY'] })],
    ];
    for (const [why, make] of refused) {
      const id = await make();
      if (why !== 'no set yet') await build(id, false);
      assert.equal((await build(id, true)).fast, false, why);
    }
    const id = await mailing({ states: ['NY'] });
    await build(id, false);
    assert.equal((await build(id, true)).fast, true);
    assert.equal((await build(id, true, false)).fast, false, 'switched off');
    await pool.query('update core_mailing set targeting_version = targeting_version + 1 where id = $1', [id]);
    assert.equal((await build(id, true)).fast, false, 'another targeting');
    assert.equal((await build(id, true)).fast, true);
    await pool.query('update core_action set user_id = user_id where user_id = 1');
    assert.equal((await build(id, true)).fast, false, 'people were merged');
    // A dump that is restored writes the row anew.
    await pool.query(
      'create table copy as select * from targeting_base; truncate targeting_base; insert into targeting_base select * from copy',
    );
    assert.equal((await build(id, true)).fast, false, 'the row is a copy');
    await pool.query(`insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to) values ($1, 0, 1, 2, 2)`, [id]);
    assert.equal((await build(id, true)).fast, false, 'it was sent before');
  });
});
