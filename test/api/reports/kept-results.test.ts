import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { erase } from '../../support/erasing.ts';
import { holdByTags, holdReports, reportsWait } from '../../support/reports-wait.ts';

const SQL = '/rest/v1/report/run/sql/';
/** Says when it was run, and takes its time where it is asked to. */
const QUERY = 'select clock_timestamp()::text, {{ note }} from (select count(*) from generate_series(1, {{ rows }}::int)) slow';
const SLOW = 400_000;

describe('results of reports that took long', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ REPORT_CACHE_AFTER_MS: '1', REPORT_CACHE_SECONDS: '300', REPORT_CACHE_MB: '1' });
    await ensureReportRole(api.pool, api.env);
    await reportsWait(api.pool);
    await holdByTags(api.pool);
  });
  after(() => api.close());

  const kept = async () => (await api.pool.query('select bytes from report_cache order by created_at')).rows as { bytes: number }[];
  const run = async (more: Record<string, unknown> = {}, headers?: Record<string, string>) => {
    const before = await api.pool.query('select max(created_at)::text as at from report_cache');
    const answer = await api.call('POST', SQL, { query: QUERY, rows: SLOW, note: 'x', ...more }, headers);
    assert.equal(answer.statusCode, 200, answer.body);
    // The answer is not held up by the keeping.
    for (let tries = 0; tries < 1000 && !answer.headers.age; tries++) {
      const after = await api.pool.query('select max(created_at)::text as at from report_cache');
      if (after.rows[0].at !== before.rows[0].at) break;
      await sleep(5);
    }
    return answer;
  };

  it('are given again to who asks for the same, with their age, until they say refresh', async () => {
    const first = await run();
    assert.equal(first.headers.age, undefined);
    const again = await run();
    assert.deepEqual([again.body, again.headers['content-type']], [first.body, first.headers['content-type']]);
    assert.ok(Number(again.headers.age) >= 0);
    const viaGet = await api.call('GET', `${SQL}?${new URLSearchParams({ query: QUERY, rows: String(SLOW), note: 'x', refresh: '0' })}`);
    assert.equal(viaGet.body, first.body);
    const fresh = await run({ refresh: true });
    assert.notEqual(fresh.body, first.body);
    assert.equal((await run()).body, fresh.body);
  });

  it('are kept however many come at once: one that is kept is in no other’s way', async () => {
    await api.pool.query('delete from report_cache');
    const notes = Array.from({ length: 24 }, (_, n) => `at once ${n}`);
    const ask = (note: string) => api.call('POST', SQL, { query: QUERY, rows: 1000, note });
    await Promise.all(notes.map(ask));
    for (let tries = 0; tries < 4000 && (await kept()).length < notes.length; tries++) await sleep(50);
    assert.equal((await kept()).length, notes.length);
  });

  it('are those of one statement with its values in one format', async () => {
    const first = await run();
    for (const other of [{ note: 'y' }, { rows: SLOW + 1 }, { format: 'csv' }, { query: `${QUERY} ` }]) {
      const answer = await run(other);
      assert.equal(answer.headers.age, undefined, JSON.stringify(other));
      assert.notEqual(answer.body, first.body);
    }
    assert.match(String((await run({ format: 'csv' })).headers['content-type']), /^text\/csv/);
  });

  it('are not kept when they came fast, so that small reports are never stale', async () => {
    // However busy the machine is, it comes sooner than this.
    const patient = await startApi({ REPORT_CACHE_AFTER_MS: '20000', REPORT_CACHE_SECONDS: '300' });
    try {
      await ensureReportRole(patient.pool, patient.env);
      const ask = () => patient.call('POST', SQL, { query: 'select clock_timestamp()::text' });
      const [one, two] = [await ask(), await ask()];
      assert.deepEqual([one.statusCode, two.statusCode], [200, 200]);
      assert.notEqual(one.body, two.body);
      assert.equal((await patient.pool.query('select from report_cache')).rowCount, 0);
    } finally {
      await patient.close();
    }
  });

  it('are never given to who has other grants, nor to who may not run reports at all', async () => {
    await api.pool.query(`with g as (insert into auth_group (name, grants) values ('analysts', '["report:sql"]'), ('readers', '["user:read"]') returning id, name),
      u as (insert into auth_user (username, password) select name, password from auth_user, unnest(array['analysts', 'readers']) name where username = 'admin' returning id, username)
      insert into auth_user_groups (auth_user_id, auth_group_id) select u.id, g.id from u join g on g.name = u.username`);
    const as = (username: string) => ({ authorization: basic({ username, password: 'test-password' }) });
    const mine = await run({ note: 'mine' });
    const theirs = await run({ note: 'mine' }, as('analysts'));
    assert.equal(theirs.headers.age, undefined);
    assert.notEqual(theirs.body, mine.body);
    assert.equal((await run({ note: 'mine' }, as('analysts'))).body, theirs.body);
    assert.equal((await api.call('POST', SQL, { query: QUERY, rows: SLOW, note: 'mine' }, as('readers'))).statusCode, 403);
  });

  it('of a saved report are not those of an older text of it', async () => {
    const uri = await api.create('queryreport', { name: 'Slow', short_name: 'slow', sql: `select 1, ${QUERY.slice(7)}` });
    const ask = () => api.call('POST', '/rest/v1/report/run/slow/', { rows: SLOW, note: 'z' });
    assert.equal((await ask()).json()[0][0], 1);
    await api.call('PATCH', uri, { sql: `select 2, ${QUERY.slice(7)}` });
    assert.equal((await ask()).json()[0][0], 2);
  });

  it('take no more room than they may: the oldest go, and what is too large is not kept', async () => {
    const large = `select repeat('x', {{ size }}::int), {{ note }} from (select count(*) from generate_series(1, {{ rows }}::int)) slow`;
    for (let n = 0; n < 14; n++) await run({ query: large, size: 90_000, note: `${n}` });
    // They are kept, and the oldest go, beside the answers, a moment after them.
    const isLastKept = async () => (await api.pool.query(`select from report_cache where content like '%"13"%'`)).rowCount === 1;
    let rows = await kept();
    const together = () => rows.reduce((sum, { bytes }) => sum + bytes, 0);
    for (let tries = 0; tries < 2000 && (!(await isLastKept()) || together() > 1024 * 1024); tries++) {
      await sleep(100);
      rows = await kept();
    }
    assert.ok((await isLastKept()) && together() <= 1024 * 1024 && rows.length >= 8, `${rows.length} results of ${together()} bytes`);
    await api.pool.query('delete from report_cache');
    const answer = await api.call('POST', SQL, { query: large, size: 200_000, note: 'big', rows: SLOW });
    assert.ok(answer.body.length > 200_000);
    await sleep(100);
    assert.deepEqual(await kept(), []);
  });

  it('are old after a while', async () => {
    const first = await run();
    await api.pool.query(`update report_cache set created_at = now() - interval '301 seconds'`);
    assert.notEqual((await run()).body, first.body);
  });

  it('are of no use where the clock of the database was set back: of one from a time to come nobody knows how old it is', async () => {
    const first = await run();
    await api.pool.query(`update report_cache set created_at = now() + interval '3 hours'`);
    assert.notEqual((await run()).body, first.body);
  });

  it('go with everything else when somebody is erased or deleted', async () => {
    await run({ note: 'ann@example.org' });
    const uri = await api.create('user', { email: 'ann@example.org' });
    assert.ok((await kept()).length > 0);
    await api.call('DELETE', uri);
    assert.deepEqual(await kept(), []);
  });

  for (const [how, leave] of [
    ['deleted', (id: number) => api.call('DELETE', `/rest/v1/user/${id}/`)],
    ['erased', (id: number) => erase(api.pool, id)],
  ] as const)
    it(`are not kept where somebody in them is ${how} while they are read`, async () => {
      const email = `${how}@example.org`;
      const id = Number(/(\d+)\/$/.exec(await api.create('user', { email }))![1]);
      const query = `select email, {{ note }}, (select count(*) from core_tag) from core_user where email = '${email}'`;
      const { reached, goOn } = await holdReports(api.pool);
      const reading = api.call('POST', SQL, { query, note: 'x' });
      // Its rows come later, and are those there were when it was begun.
      await reached();
      await leave(id);
      await goOn();
      assert.match((await reading).body, new RegExp(email));
      await sleep(300);
      assert.deepEqual((await api.pool.query('select content from report_cache')).rows, []);
    });
});
