import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';

// Some functions of PostgreSQL look at nothing until they are done: neither the time limit nor a cancellation reaches them.

describe('a statement that the server cannot interrupt', () => {
  const SQL = '/rest/v1/report/run/sql/';
  /** Compares a hundred thousand letters at each of two hundred thousand places. */
  const SEARCH = `select position('b' || repeat('a', 100000) in repeat('a', 300000))`;
  let api: TestApi;
  const other = { authorization: basic({ username: 'other', password: 'long-enough-password' }) };

  before(async () => {
    api = await startApi({ STATEMENT_TIMEOUT_MS: '300', REPORT_SLOTS: '2', REPORT_WAIT_MS: '200' });
    await ensureReportRole(api.pool, api.env);
    const group = await api.create('authgroup', { name: 'writers of SQL', grants: ['report:read', 'report:sql'] });
    await api.create('authuser', { username: 'other', password: 'long-enough-password', groups: [group] });
  });
  after(() => api.close());

  const run = (query: string, headers = {}) => api.call('POST', SQL, { query }, headers);
  const running = async () => {
    const { rows } = await api.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and usename = 'campaign_report'`,
    );
    return rows[0]!.n;
  };

  it('keeps its place until it has ended, so that nobody has more of them at work than they may, and others have theirs', async () => {
    const answer = await run(SEARCH);
    assert.match(answer.body, /longer than 0.3 seconds/);
    assert.equal(await running(), 1, 'it goes on');
    for (let n = 0; n < 3; n++) assert.match((await run(SEARCH)).body, /this account has its 1 already/);
    assert.deepEqual((await run('select 1', other)).json(), [[1]]);
    // That one leaves the server a moment after its answer.
    while ((await running()) > 1) await sleep(10);
    assert.equal(await running(), 1);
    const until = Date.now() + 120_000;
    while ((await running()) > 0 && Date.now() < until) await sleep(100);
    assert.deepEqual((await run('select 1')).json(), [[1]], 'the place is free again');
  });
});
