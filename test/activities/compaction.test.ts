import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { mergeUsers } from '../../core/people/merge.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { compact } from '../../core/sending/compact.ts';
import { writeTallies } from '../../core/sending/tally.ts';
import { createPool } from '../../db/pool.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { buildSet, idIn, READY, setMailing } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { ledgerStates, ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const PEOPLE = 60;
const never = new AbortController().signal;

describe('moving old ledgers to the archive', () => {
  let api: TestApi;
  let pool: pg.Pool;

  before(async () => {
    api = await startApi();
    pool = api.pool;
    await ensureReportRole(pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(
      pool,
      Array.from({ length: PEOPLE }, (_, n) => ({ id: n + 1, email: `p${n + 1}@example.org`, lists: [1] })),
    );
  });
  after(() => api.close());

  /** A mailing sent to everybody so many days ago: of every ten, one failed, one was skipped, one is uncertain, and one an operator took for accepted. */
  async function sent(daysAgo: number): Promise<string> {
    const uri = await api.create('mailer', { ...READY, subjects: ['One', 'Two'] });
    const id = idIn(uri);
    await pool.query('insert into send_ledger (mailing_id, position, user_id) select $1, id, id from core_user order by id', [id]);
    await pool.query(
      `update send_ledger set state = case position % 10 when 1 then 3 when 2 then 4 when 3 then 5 else 2 end,
        detail = case when position % 10 <= 3 and position % 10 > 0 then 'why' when position % 10 = 4 then 'an operator took it' end,
        changed_at = now() - make_interval(days => $2, secs => position) where mailing_id = $1`,
      [id, daysAgo],
    );
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, failed, skipped, uncertain, finished)
        select $1, 0, 1, $2, $2, count(*) filter (where state = 2), count(*) filter (where state = 3), count(*) filter (where state = 4),
          count(*) filter (where state = 5), true from send_ledger where mailing_id = $1`,
      [id, PEOPLE],
    );
    await pool.query(writeTallies('s.finished'), [id]);
    await pool.query(`insert into send_run (mailing_id, content) values ($1, '{}')`, [id]);
    const finished = new Date(Date.now() - daysAgo * 86_400_000);
    await setMailing(api, uri, {
      status: 'completed',
      started_at: finished,
      finished_at: finished,
      query_status: 'saved',
      saved_count: PEOPLE,
    });
    return uri;
  }

  /** Everything anybody is told of it. */
  const told = async (uri: string) => ({
    progress: await api.read(`${uri}progress/`),
    results: await api.read(`${uri}results/`),
    failed: await api.read(`${uri}failed/`),
    uncertain: await api.read(`${uri}uncertain/`),
    ofMailing: await api.read(`/rest/v1/usermailing/?mailing=${idIn(uri)}&_limit=100`),
    page: await api.read(`/rest/v1/sentmail/?mailing=${idIn(uri)}&_limit=7&_offset=11`),
    ofUser: await api.read('/rest/v1/sentmail/?user=7'),
    report: await api.read(
      `/rest/v1/report/run/sql/?query=${encodeURIComponent(`select user_id, mailing_id, date_trunc('second', created_at) as at from core_usermailing order by 2, 1`)}`,
    ),
  });
  const archived = async (id: number) =>
    Number((await pool.query('select count(*) from send_archive where mailing_id = $1', [id])).rows[0].count);

  it('changes nothing anybody is told, keeps every reason, and leaves what is younger alone', async () => {
    const [old, young] = [await sent(40), await sent(20)];
    const before = [await told(old), await told(young)];
    assert.deepEqual(await compact(pool, 30, never), { moved: 36, more: false });
    assert.deepEqual([await archived(idIn(old)), await archived(idIn(young))], [36, 0]);
    assert.deepEqual(await ledgerStates(pool, idIn(old)), { accepted: 6, failed: 6, skipped: 6, uncertain: 6 });
    assert.deepEqual([await told(old), await told(young)], before);
    assert.deepEqual(await compact(pool, 30, never), { moved: 0, more: false });
  });

  it('targets by an archived mailing as by any', async () => {
    const uri = await sent(50);
    const included = await api.create('mailer', { ...READY, includes: { mailings: [idIn(uri)] } });
    const excluded = await api.create('mailer', { ...READY, excludes: { mailings: [idIn(uri)] } });
    const counts = async () => [await buildSet(api, included), await buildSet(api, excluded)];
    const before = await counts();
    await compact(pool, 30, never);
    assert.equal(await archived(idIn(uri)), 36);
    assert.deepEqual(await counts(), before);
  });

  it('leaves who is uncertain to be settled, and counts right afterwards', async () => {
    const uri = await sent(60);
    await compact(pool, 30, never);
    const before = (await api.read(`${uri}results/`)).totals;
    assert.deepEqual((await api.call('POST', `${uri}uncertain/accept/`)).json(), { settled: 6 });
    const { recipients, uncertain, targeted } = (await api.read(`${uri}results/`)).totals;
    assert.deepEqual([recipients, uncertain, targeted], [before.recipients + 6, 0, PEOPLE]);
    assert.deepEqual((await api.call('POST', `${uri}failed/resend/`)).json(), { settled: 6 });
    assert.equal((await api.read(`${uri}status/`)).status, 'stopped');
    const after = (await api.read(`${uri}results/`)).totals;
    assert.deepEqual([after.recipients, after.pending, after.failed], [before.recipients + 6, 6, 0]);
  });

  it('merges and deletes people together with what is archived of them', async () => {
    const uri = await sent(70);
    const id = idIn(uri);
    await compact(pool, 30, never);
    // 15 and 16 were mailed; 11's mail failed: of two rows in one mailing the one that says most stays.
    for (const [primary, merged] of [
      [11, 15],
      [16, 17],
    ]) {
      const { rows } = await pool.query(
        `insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id`,
        [primary, JSON.stringify([primary, merged])],
      );
      await inOneTransaction(pool, (sql) => mergeUsers(sql, rows[0].id));
    }
    const whole = async (users: number[]) =>
      (await pool.query('select user_id, state from send_record where mailing_id = $1 and user_id = any($2) order by 1', [id, users])).rows;
    assert.deepEqual(await whole([11, 15, 16, 17]), [
      { user_id: 11, state: 2 },
      { user_id: 16, state: 2 },
    ]);
    await compact(pool, 30, never);
    assert.deepEqual(await whole([11, 15, 16, 17]), [
      { user_id: 11, state: 2 },
      { user_id: 16, state: 2 },
    ]);
    assert.equal((await pool.query('select from send_ledger where mailing_id = $1 and user_id = any($2)', [id, [11, 16]])).rowCount, 0);
    assert.equal((await api.call('DELETE', '/rest/v1/user/16/')).statusCode, 204);
    assert.deepEqual(await whole([16]), []);
  });

  it('loses and doubles no row when it is cut off again and again', async () => {
    const uri = await api.create('mailer', READY);
    const id = idIn(uri);
    await pool.query(
      `insert into send_ledger (mailing_id, position, user_id, state, changed_at)
        select $1, n, 1000000 + n, 2, now() - interval '90 days' from generate_series(1, 60000) n`,
      [id],
    );
    await pool.query(`insert into send_run (mailing_id, content) values ($1, '{}')`, [id]);
    await setMailing(api, uri, { status: 'completed', finished_at: new Date(Date.now() - 90 * 86_400_000) });
    const sum = async () =>
      (
        await pool.query(
          `select count(*)::int as rows, count(distinct user_id)::int as users, sum(hashint8(user_id::bigint * 1000003 + position)::bigint)::text as hash,
            min(date_trunc('second', changed_at)) as first from send_record where mailing_id = $1`,
          [id],
        )
      ).rows[0];
    const before = await sum();
    const own = createPool(api.databaseUrl, 1);
    let cuts = 0;
    for (let done = false; !done; ) {
      const compacting = compact(own, 30, never).then(
        ({ more }) => !more,
        () => false,
      );
      let over = false;
      void compacting.then(() => (over = true));
      // Later each time: from a certain moment on it comes to its end.
      await sleep(30 * cuts);
      for (let cut = false; !cut && !over; await sleep(5)) {
        const { rowCount } = await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like '%send_archive%' and pid <> pg_backend_pid()
            and state = 'active'`,
        );
        cut = rowCount! > 0;
        if (cut) cuts++;
      }
      assert.deepEqual(await sum(), before);
      done = await compacting;
    }
    await own.end();
    assert.ok(cuts > 0, 'nothing was cut off');
    assert.deepEqual([await archived(id), await ledgerStates(pool, id)], [60_000, {}]);
    assert.deepEqual(await sum(), before);
  });

  it('runs as a workflow', async () => {
    const place = await createNamespace();
    const uri = await sent(100);
    const worker = await runWorker(place, { DATABASE_URL: api.databaseUrl }, { relay: new ScriptedRelay(1) });
    const moved = await place.client.workflow.execute('compactLedgers', { workflowId: 'compact-ledgers', taskQueue: TASK_QUEUE.campaign });
    await worker.stop();
    assert.equal(moved, await archived(idIn(uri)));
    assert.ok(moved > 30);
  });
});
