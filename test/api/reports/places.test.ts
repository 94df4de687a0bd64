import { deepEqual, equal } from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { startApi, type TestApi } from '../../support/api.ts';

describe('the places of reports', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ REPORT_SLOTS: '1', REPORT_WAIT_MS: '200' });
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  const run = () => api.call('POST', '/rest/v1/report/run/sql/', { query: 'select 1' });

  it('are free again where the database goes away just before a report begins', async () => {
    const { query } = api.pool;
    let lost = 0;
    api.pool.query = ((...given: unknown[]) => {
      if (!JSON.stringify(given[0]).includes('core_user_none_going'))
        return (query as (...all: unknown[]) => unknown).apply(api.pool, given);
      lost++;
      return Promise.reject(Object.assign(new Error('connection terminated'), { code: 'ECONNRESET' }));
    }) as never;
    try {
      equal((await run()).statusCode, 503);
    } finally {
      api.pool.query = query;
    }
    equal(lost, 1);
    const answer = await run();
    deepEqual([answer.statusCode, answer.json()], [200, [[1]]]);
  });
});
