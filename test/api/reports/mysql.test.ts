import assert from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';
import { MORE_ANSWERS } from './more-mysql-statements.ts';
import { JOIN_ANSWERS } from './mysql-joins.ts';
import { WITH_PARAMETERS } from './mysql-parameters.ts';
import { ANSWERS, REFUSED } from './mysql-statements.ts';
import { UNION_ANSWERS } from './mysql-unions.ts';

describe("reports in MySQL's dialect", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ STATEMENT_TIMEOUT_MS: '6000' });
    await ensureReportRole(api.pool, api.env);
    await fixedData(api);
  });
  after(() => api.close());

  const run = (query: string, more: Record<string, unknown> = {}) =>
    api.call('POST', '/rest/v1/report/run/sql/', { query, dialect: 'mysql', ...more });
  const rows = async (query: string, more: Record<string, unknown> = {}) => {
    const answer = await run(query, more);
    assert.equal(answer.statusCode, 200, `${query}\n${answer.body}`);
    return answer.json();
  };

  it('are more than a hundred and sixty', () => assert.ok(ANSWERS.length + MORE_ANSWERS.length >= 160));

  for (const [query, expected, parameters] of [...ANSWERS, ...MORE_ANSWERS, ...JOIN_ANSWERS, ...WITH_PARAMETERS, ...UNION_ANSWERS]) {
    it(`answers ${query.replace(/\s+/g, ' ').slice(0, 120)}`, async () => {
      assert.deepEqual(await rows(query, parameters), expected, query);
    });
  }

  for (const [query, message] of REFUSED) {
    it(`refuses ${query.replace(/\s+/g, ' ').slice(0, 100)}`, async () => {
      const answer = await run(query);
      assert.equal(answer.statusCode, 400, `${query}\n${answer.body}`);
      assert.match(answer.json().errors.query[0], message, query);
    });
  }
});

/** Four people, three pages, seven actions; all figures in mysql-statements.ts are counted from here. */
async function fixedData({ pool }: TestApi): Promise<void> {
  await insertPeople(pool, [
    { id: 1, email: 'Ann@Example.org', state: 'NY' },
    { id: 2, email: 'bob@example.org', state: 'ny' },
    { id: 3, email: 'cid@example.org', state: 'CA' },
    { id: 4, email: 'dée@example.org', state: '' },
  ]);
  await pool.query(`
    update core_user set first_name = case id when 1 then 'Ann' when 2 then 'Bob' when 3 then 'Cid' else 'Dée' end,
      created_at = case id when 1 then timestamptz '2026-01-15 10:30:00+00' when 2 then '2026-01-31 23:59:59+00' when 3 then '2026-02-28 12:00:00+00' else '2025-12-31 00:00:01+00' end;
    insert into core_page (id, name, title, type, hidden) values (1, 'clean_air', 'Clean air', 'petition', false), (2, 'Clean_Water', 'Water', 'petition', true), (3, 'give', 'Give', 'donation', false);
    insert into core_action (id, user_id, page_id, source, created_user, created_at) values
      (1, 1, 1, 'web', true, '2026-03-01 08:00:00+00'), (2, 1, 2, 'Web', false, '2026-03-02 09:15:30+00'), (3, 2, 1, 'mail', true, '2026-03-02 18:45:00+00'),
      (4, 3, 1, 'web', false, '2026-04-10 00:00:00+00'), (5, 3, 3, 'ads', true, '2026-04-11 13:05:09+00'), (6, 2, 3, 'mail', false, '2026-05-31 23:00:00+00'), (7, 4, 2, '', false, '2026-05-31 23:30:00+00');
    insert into core_actionfield (parent_id, name, value) values (1, 'age', '34'), (2, 'age', '9'), (3, 'age', '120 years'), (4, 'age', 'none'), (5, 'born', '1990-05-17'), (6, 'born', '0000-00-00'), (7, 'born', '17.5.1990');
    insert into core_orderuserdetail (id, user_id, email) values (1, 3, 'cid@example.org'), (2, 2, 'bob@example.org');
    insert into core_order (id, action_id, user_id, user_detail_id, account_id, total, total_converted, created_at) values
      (1, 5, 3, 1, 1, 25.50, 25.50, '2026-04-11 13:05:09+00'), (2, 6, 2, 2, 1, 1234.00, 1234.00, '2026-05-31 23:00:00+00');`);
}
