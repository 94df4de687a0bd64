import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { failMailingJob, unfinishedMailingJobs } from '../../../core/forgotten.ts';
import { readResults } from '../../../core/mailings/results.ts';
import { stillWaiting } from '../../../core/mailings/still-waiting.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { settleAbandoned } from '../../../core/sending/shards.ts';
import { RebuildError } from '../../../core/targeting/rebuild-error.ts';
import { countTry, failRebuild, openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { type RebuildDeps, rebuildSet } from '../../../core/targeting/rebuild-set.ts';
import { requestRebuild } from '../../../core/targeting/request-rebuild.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { type Sql, sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { REBUILDABLE } from '../../../domain/mailing-status.ts';
import type { Targeting } from '../../../domain/targeting/fields.ts';
import { createDatabase } from '../../support/database.ts';
import { insertPeople } from '../../support/people.ts';
import { become, putInSet, tally } from '../../support/sending.ts';

const FOREVER = 'generate_series(1, 10000000000)';
const HALF_A_SECOND = 'generate_series(1, 5000000)';

describe('building the saved set of a mailing', () => {
  let pool: pg.Pool;
  let deps: RebuildDeps;

  before(async () => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 60_000 };
    pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 6 });
    await ensureReportRole(pool, settings);
    deps = { pool, reportDatabaseUrl: reportDatabaseUrl(settings), statementTimeoutMs: 20_000, fastRebuild: true };
    await pool.query(`insert into core_list (id, name) values (1, 'News')`);
    await pool.query(`insert into auth_user (id, username, password) values (1, 'ann', '')`);
    await insertPeople(
      pool,
      Array.from({ length: 100 }, (_, index) => ({
        id: index + 1,
        email: `p${index + 1}@example.org`,
        state: index % 2 ? 'NY' : 'CA',
        lists: [1],
      })),
    );
  });
  after(() => pool.end());

  async function mailing(includes: Targeting = {}, more: Record<string, unknown> = {}): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailing (includes, excludes, "limit", status) values ($1, $2, $3, $4) returning id`,
      [includes, more['excludes'] ?? {}, more['limit'] ?? null, more['status'] ?? 'draft'],
    );
    return rows[0]!.id;
  }

  async function build(mailingId: number, signal?: AbortSignal): Promise<{ count: number }> {
    return rebuildSet(deps, { mailingId, jobId: await openRebuildJob(pool, mailingId), during: REBUILDABLE, signal });
  }

  /** Builds a set, and does something when its targeting has been read and it is not written yet. */
  async function buildWhile(mailingId: number, during: () => Promise<unknown>): Promise<{ count: number }> {
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(7236903, $1)', [mailingId]);
    const building = build(mailingId);
    while ((await row('core_mailing', 'id', mailingId)).query_status !== 'rebuilding') await sleep(10);
    await during();
    await holder.query('commit');
    holder.release();
    return building;
  }

  const set = async (mailingId: number) =>
    (await pool.query('select position, user_id, state from send_record where mailing_id = $1 order by position', [mailingId])).rows;
  const row = async (table: string, column: string, id: number) =>
    (await pool.query(`select * from ${table} where ${column} = $1 order by id desc limit 1`, [id])).rows[0];

  it('saves the audience, its count, version and time', async () => {
    const id = await mailing({ states: ['NY'], users: [2, 4, 5] });
    assert.deepEqual(await build(id), { count: 2 });
    assert.deepEqual(await set(id), [
      { position: 1, user_id: 2, state: 0 },
      { position: 2, user_id: 4, state: 0 },
    ]);
    const saved = await row('core_mailing', 'id', id);
    assert.equal(saved.query_status, 'saved');
    assert.equal(saved.saved_count, 2);
    assert.equal(saved.targeting_version_saved, saved.targeting_version);
    assert.ok(saved.query_previous_runtime >= 0 && saved.query_previous_runtime < 10);
    assert.ok(saved.query_completed_at >= saved.query_started_at);
    const job = await row('core_mailingrebuild', 'mailing_id', id);
    assert.deepEqual([job.finished, job.success, job.results, job.errors], [true, true, 2, []]);
  });

  it('replaces the set, and a finished job gives its result again', async () => {
    const id = await mailing({ users: [1, 2, 3] });
    await build(id);
    await pool.query(`update core_mailing set includes = '{"users": [3, 4]}' where id = $1`, [id]);
    const jobId = await openRebuildJob(pool, id);
    const request = { mailingId: id, jobId, during: REBUILDABLE };
    assert.deepEqual(await rebuildSet(deps, request), { count: 2 });
    await pool.query('update send_set set user_ids = array_replace(user_ids, 3, 0) where mailing_id = $1', [id]);
    assert.deepEqual(await rebuildSet(deps, request), { count: 2 });
    assert.deepEqual(
      (await set(id)).map(({ user_id }) => user_id),
      [4],
    );
  });

  it('never takes up again who has a row that is not pending, and counts them against the limit', async () => {
    const id = await mailing({ users: [1, 2, 3, 4, 5, 6, 7, 8] }, { status: 'stopped', limit: 5 });
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, uncertain, failed) values ($1, 0, 1, 5, 3, 1, 1, 1)`,
      [id],
    );
    await putInSet(pool, id, [1, 2, 3, 4, 5]);
    await become(pool, id, [
      { position: 1, state: 2 },
      { position: 2, state: 5 },
      { position: 3, state: 3 },
    ]);
    assert.deepEqual(await build(id), { count: 3 });
    assert.deepEqual(await set(id), [
      { position: 1, user_id: 1, state: 2 },
      { position: 2, user_id: 2, state: 5 },
      { position: 3, user_id: 3, state: 3 },
      { position: 6, user_id: 4, state: 0 },
      { position: 7, user_id: 5, state: 0 },
      { position: 8, user_id: 6, state: 0 },
    ]);
  });

  it('counts those against the limit who are on the wire of a worker that was cut off', async () => {
    const id = await mailing({ users: [1, 2, 3, 4, 5, 6, 7, 8] }, { status: 'died', limit: 5 });
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, held_until) values ($1, 0, 1, 5, 3, 1, now() + interval '1 hour')`,
      [id],
    );
    await putInSet(pool, id, [1, 2, 3, 4, 5]);
    await become(pool, id, [{ position: 1, state: 2 }]);
    assert.deepEqual(await build(id), { count: 2 });
    assert.deepEqual(
      (await set(id)).map(({ user_id, state }) => [user_id, state]),
      [
        [1, 2],
        [2, 1],
        [3, 1],
        [4, 0],
        [5, 0],
      ],
    );
  });

  it('goes on expecting those who are on the wire of a worker that was cut off: what waits is neither more nor less when they are uncertain', async () => {
    const id = await mailing({ users: [1, 2, 3, 4, 5, 6, 7, 8] }, { status: 'died' });
    await pool.query(
      `with begun as (update core_mailing set expected_send_count = 5, started_at = now() where id = $1 returning id)
       insert into core_mailingsubject (mailing_id, text, position) select id, 'Hi', 0 from begun`,
      [id],
    );
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, held_until) values ($1, 0, 1, 5, 3, 1, now())`,
      [id],
    );
    await putInSet(pool, id, [1, 2, 3, 4, 5]);
    await become(pool, id, [{ position: 1, state: 2 }]);
    assert.deepEqual(await build(id), { count: 5 });
    const expected = async () => (await row('core_mailing', 'id', id)).expected_send_count;
    const { totals } = await readResults(pool, id);
    assert.deepEqual([await expected(), totals.targeted, totals.pending], [8, 8, 7]);
    await settleAbandoned(pool, id);
    assert.deepEqual([await stillWaiting(sqlOn(pool), id), (await readResults(pool, id)).totals.pending], [5, 5]);
  });

  it('leaves out whom one of several mailings reached, also those who took over the mail of another, and nobody else', async () => {
    const [first, second, other] = [await mailing(), await mailing(), await mailing()];
    const reached = (id: number, people: number[]) =>
      pool.query(
        'insert into send_accepted (mailing_id, position, user_id, sent_second) select $1, n, person, 0 from unnest($2::int[]) with ordinality t (person, n)',
        [id, people],
      );
    await reached(first, [1, 2, 63, 64]);
    await reached(first, [65, -6, 100]);
    await reached(second, [64, 70]);
    await reached(other, [90]);
    await pool.query('insert into send_exception values ($1, 8, 80, 1, 3, now(), $2), ($1, 9, 81, 1, 5, now(), $2)', [second, 'why']);
    const left = async () => {
      const id = await mailing({ lists: [1] }, { excludes: { mailings: [first, second] } });
      await build(id);
      const standing = new Set((await set(id)).map(({ user_id }) => user_id));
      return Array.from({ length: 100 }, (_, index) => index + 1).filter((person) => !standing.has(person));
    };
    assert.deepEqual(await left(), [1, 2, 63, 64, 65, 70, 81, 100]);
    await pool.query('update send_accepted set user_id = 30 where user_id = 70');
    assert.ok((await left()).includes(30));
    await pool.query('delete from send_accepted where mailing_id = $1 and user_id in (1, 65)', [first]);
    assert.deepEqual(
      (await left()).filter((person) => person !== 70),
      [2, 30, 63, 64, 81, 100],
    );
    await pool.query('truncate send_accepted, send_exception');
    assert.deepEqual(await left(), []);
  });

  it('puts new people behind the shards of an earlier run', async () => {
    const id = await mailing({ users: [1, 2] }, { status: 'stopped' });
    await putInSet(pool, id, [1, 2]);
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted) values ($1, 0, 1, 10, 2, 1)`,
      [id],
    );
    await become(pool, id, [
      { position: 1, state: 2 },
      { position: 2, state: 0 },
    ]);
    await build(id);
    assert.deepEqual(await set(id), [
      { position: 1, user_id: 1, state: 2 },
      { position: 11, user_id: 2, state: 0 },
    ]);
  });

  it('leaves everybody counted once of a mailing that was stopped, whether their shard is finished, was reopened or is under way', async () => {
    const id = await mailing({ users: [1, 2, 3, 4, 5, 6, 7] }, { status: 'stopped' });
    await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B')`, [id]);
    await putInSet(pool, id, [1, 2, 3, 4, 5, 6]);
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, finished)
       values ($1, 0, 1, 2, 2, 2, true), ($1, 1, 3, 4, 4, 1, false), ($1, 2, 5, 6, 5, 1, false)`,
      [id],
    );
    await become(
      pool,
      id,
      [1, 2, 3].map((position) => ({ position, state: 2 })),
      { recorded: true },
    );
    await become(pool, id, [
      { position: 4, state: 0 },
      { position: 5, state: 2 },
    ]);
    await tally(pool, id);
    const counts = async () => {
      const { totals, subjects } = await readResults(pool, id);
      return [totals, ...subjects].map(({ targeted, recipients, pending }) => [targeted, recipients, pending]);
    };
    assert.deepEqual(await counts(), [
      [6, 4, 2],
      [3, 1, 2],
      [3, 3, 0],
    ]);
    assert.deepEqual(await build(id), { count: 3 });
    // The new ones are at 7, 8 and 9.
    const anew = [
      [7, 4, 3],
      [2, 1, 1],
      [5, 3, 2],
    ];
    assert.deepEqual(await counts(), anew);
    await build(id);
    assert.deepEqual(await counts(), anew);
  });

  it("takes statements in MySQL's dialect: its words for what PostgreSQL has none of or others", async () => {
    const sql = 'SELECT `id` FROM core_user WHERE state = "ny" AND IF(id > 10, 0, 1) = 1 ORDER BY id LIMIT 1, 3 # without regard to case';
    const id = await mailing({ raw_sql: [{ sql, dialect: 'mysql' }] });
    assert.deepEqual(await build(id), { count: 3 });
    assert.deepEqual(
      (await set(id)).map(({ user_id }) => user_id),
      [4, 6, 8],
    );
    await pool.query(`insert into reports_queryreport (name, short_name, sql, dialect) values ('Mine', 'mine', $1, 'mysql')`, [
      'SELECT id FROM core_user WHERE id % 50 = {{ rest }} AND email RLIKE "^P"',
    ]);
    assert.deepEqual(await build(await mailing({ query_reports: [{ short_name: 'mine', params: { rest: 7 } }] })), { count: 2 });
    const wrong = await mailing({ raw_sql: [{ sql: 'SELECT @n := @n + 1 FROM core_user', dialect: 'mysql' }] });
    await assert.rejects(build(wrong), RebuildError);
  });

  it('takes the user ids of raw_sql and of reports, audience members only', async () => {
    await pool.query(
      `insert into reports_queryreport (name, short_name, sql) values ('Between', 'between', 'select id, email from core_user where id between {low} and {{ high }}')`,
    );
    await insertPeople(pool, [{ id: 200, email: 'never@example.org', status: 'never' }]);
    const raw = await mailing({
      raw_sql: ['select id from core_user where id <= 2', 'values (7), (8), (null), (200), (99999), (99999999999)'],
    });
    await build(raw);
    assert.deepEqual(
      (await set(raw)).map(({ user_id }) => user_id),
      [1, 2, 7, 8],
    );
    const report = await mailing(
      { query_reports: [{ short_name: 'between', params: { low: 5, high: '9' } }] },
      { excludes: { raw_sql: ['select 6'] } },
    );
    await build(report);
    assert.deepEqual(
      (await set(report)).map(({ user_id }) => user_id),
      [5, 7, 8, 9],
    );
  });

  const wrong: [string, Targeting, RegExp][] = [
    ['that reads what it may not', { raw_sql: ['select id from public.auth_user'] }, /public/],
    ['that reads a hidden column', { raw_sql: ['select id from auth_user order by password'] }, /password/],
    ['that writes', { raw_sql: ['delete from core_user'] }, /Only SELECT/],
    ['that gives no ids', { raw_sql: ['select email from core_user'] }, /user ids/],
    ['that gives rows without a column', { raw_sql: ['select from core_user'] }, /user ids/],
    ['of two statements', { raw_sql: ['select 1; select 2'] }, /One statement/],
    ['that fails', { raw_sql: ['select 1 / 0'] }, /division by zero/],
    ['that the server did not foresee', { raw_sql: ['select tsvector_update_trigger()'] }, /trigger manager/],
    ['of a report that is gone', { query_reports: [{ short_name: 'gone' }] }, /no report gone/],
    ['of a report without its parameters', { query_reports: [{ short_name: 'between' }] }, /low, high/],
  ];
  for (const [what, includes, message] of wrong) {
    it(`keeps the old set when given SQL ${what}`, async () => {
      const id = await mailing({ users: [1] });
      await build(id);
      await pool.query('update core_mailing set includes = $2 where id = $1', [id, includes]);
      const jobId = await openRebuildJob(pool, id);
      await assert.rejects(rebuildSet(deps, { mailingId: id, jobId, during: REBUILDABLE }), (error: RebuildError) => {
        assert.ok(error instanceof RebuildError, String(error));
        assert.match(error.messages.join(), message);
        return true;
      });
      await failRebuild(pool, { mailingId: id, jobId, errors: ['why'] });
      assert.equal((await row('core_mailing', 'id', id)).query_status, 'failed');
      const job = await row('core_mailingrebuild', 'mailing_id', id);
      assert.deepEqual([job.finished, job.success, job.results, job.errors], [true, false, null, ['why']]);
      assert.equal((await set(id)).length, 1);
    });
  }

  it('does not wait for ever to end a job whose row somebody holds', async () => {
    const id = await mailing();
    const jobId = await openRebuildJob(pool, id);
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from core_mailingrebuild where id = $1 for update', [jobId]);
    await assert.rejects(failRebuild(pool, { mailingId: id, jobId, errors: ['why'] }), /lock timeout/);
    await holder.query('rollback');
    holder.release();
  });

  it('stops a statement that takes too long', async () => {
    const id = await mailing({ raw_sql: [`select count(*) from ${FOREVER}`] });
    const jobId = await openRebuildJob(pool, id);
    await assert.rejects(
      rebuildSet({ ...deps, statementTimeoutMs: 300 }, { mailingId: id, jobId, during: REBUILDABLE }),
      /takes longer than 0.3 seconds/,
    );
  });

  it('leaves the set invalid when the targeting changes during the build', async () => {
    const id = await mailing({ users: [1] });
    const built = await buildWhile(id, () =>
      pool.query(`update core_mailing set targeting_version = targeting_version + 1, includes = '{}' where id = $1`, [id]),
    );
    assert.deepEqual(built, { count: 1 });
    const saved = await row('core_mailing', 'id', id);
    assert.deepEqual([saved.query_status, saved.targeting_version_saved, saved.targeting_version], ['invalid', 1, 2]);
  });

  const ask = (mailingId: number) =>
    requestRebuild(
      {
        sql: sqlOn(pool),
        transaction: <T>(work: (sql: Sql) => Promise<T>) => inOneTransaction(pool, work),
        start: async () => 'running' as const,
      },
      { mailingId, accountId: 1 },
    );

  it('is built once more when the targeting changes during the build and somebody asks for it since', async () => {
    const id = await mailing({ users: [1] });
    const built = await buildWhile(id, async () => {
      const { id: jobId } = await row('core_mailingrebuild', 'mailing_id', id);
      await pool.query(`update core_mailingrebuild set at_send = false where id = $1`, [jobId]);
      await pool.query(`update core_mailing set targeting_version = targeting_version + 1, includes = '{"users": [2, 3]}' where id = $1`, [
        id,
      ]);
      assert.equal(await ask(id), jobId);
    });
    assert.deepEqual(built, { count: 2 });
    const saved = await row('core_mailing', 'id', id);
    assert.deepEqual([saved.query_status, saved.targeting_version_saved, saved.targeting_version], ['saved', 2, 2]);
  });

  it('answers nobody who asks in the moment in which it ends with the set of a targeting before theirs', async () => {
    await pool.query(`insert into core_list (id, name) values (2, 'Others')`);
    const id = await mailing({ users: [1] }, { excludes: { lists: [2] } });
    const holder = await pool.connect();
    const waiting = async (query: string) =>
      (
        await pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`, [
          query,
        ])
      ).rowCount === 1;
    // It waits where it looks for what it excludes a last time.
    const building = buildWhile(id, async () => {
      await pool.query('update core_mailingrebuild set at_send = false where mailing_id = $1', [id]);
      await holder.query('begin; lock table targeting_going in access exclusive mode');
    });
    while (!(await waiting('targeting_going'))) await sleep(10);
    let over = false;
    const asking = pool
      .query(`update core_mailing set targeting_version = targeting_version + 1, includes = '{"users": [2, 3]}' where id = $1`, [id])
      .then(() => ask(id))
      .finally(() => {
        over = true;
      });
    while (!over && !(await waiting('^update core_mailing set targeting_version'))) await sleep(10);
    await holder.query('rollback');
    holder.release();
    await building;
    const { finished } = await row('core_mailingrebuild', 'id', await asking);
    assert.deepEqual([finished, (await row('core_mailing', 'id', id)).query_status], [false, 'queued']);
  });

  it('changes nothing when the mailing moved on meanwhile', async () => {
    const id = await mailing({ users: [1] });
    await build(id);
    await pool.query(`update core_mailing set includes = '{"users": [2]}' where id = $1`, [id]);
    const building = buildWhile(id, () => pool.query(`update core_mailing set status = 'queued' where id = $1`, [id]));
    await assert.rejects(building, /no longer in a state/);
    assert.deepEqual(
      (await set(id)).map(({ user_id }) => user_id),
      [1],
    );
  });

  it('ends the statement on the server when it is called off', async () => {
    const id = await mailing({ raw_sql: [`select count(*) from ${FOREVER}`] });
    const calling = new AbortController();
    const building = build(id, calling.signal);
    const settled = assert.rejects(building, { name: 'AbortError' });
    // Only the login itself may see what it is running.
    const watcher = new pg.Client({ connectionString: deps.reportDatabaseUrl });
    await watcher.connect();
    const running = async () =>
      (await watcher.query(`select 1 from pg_stat_activity where query ~ '10000000000' and state = 'active' and pid <> pg_backend_pid()`))
        .rowCount;
    for (let waited = 0; !(await running()) && waited < 60_000; waited += 50) await sleep(50);
    assert.equal(await running(), 1);
    calling.abort();
    await settled;
    for (let waited = 0; (await running()) && waited < 60_000; waited += 100) await sleep(100);
    assert.equal(await running(), 0);
    await watcher.end();
  });

  it('is not failed by a sweep that found its run ended, where somebody has asked for it once more since', async () => {
    const id = await mailing({ users: [2, 4] });
    const jobId = await ask(id);
    await countTry(pool, jobId);
    await pool.query(`update core_mailingrebuild set created_at = now() - interval '1 hour' where id = $1`, [jobId]);
    const found = (await unfinishedMailingJobs(pool)).find((job) => job.kind === 'rebuild' && job.id === jobId)!;
    assert.equal(await ask(id), jobId);
    const nth = await countTry(pool, jobId);
    await failMailingJob(pool, found, 'terminated');
    assert.deepEqual(await rebuildSet(deps, { mailingId: id, jobId, nth, during: REBUILDABLE }), { count: 2 });
    const other = await ask(id);
    await failMailingJob(pool, { ...found, id: other, tries: 0 }, 'terminated');
    const { finished, errors } = await row('core_mailingrebuild', 'mailing_id', id);
    assert.deepEqual([finished, errors], [true, ['its run was terminated from outside']]);
  });

  it('lets a given-up attempt find that another has finished the job', async () => {
    const id = await mailing({ raw_sql: [`select max(1) from ${HALF_A_SECOND}`] });
    const jobId = await openRebuildJob(pool, id);
    const request = { mailingId: id, jobId, during: REBUILDABLE };
    assert.deepEqual(await Promise.all([rebuildSet(deps, request), rebuildSet(deps, request)]), [{ count: 1 }, { count: 1 }]);
    assert.equal((await set(id)).length, 1);
  });
});
