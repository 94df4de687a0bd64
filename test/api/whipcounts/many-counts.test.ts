import assert from 'node:assert/strict';
import { listCounts } from '../../../core/whipcounts/totals.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { rowsRead } from '../../support/rows-read.ts';

const PAGES = 20;
const CALLERS = 3000;
/** By each of them. */
const CALLS = 10;

describe('the list of whip counts of which one has nearly all calls', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.pool.query(`
      insert into core_user (email) select n || '@example.org' from generate_series(1, ${CALLERS}) n;
      insert into core_page (name, type) select 'count ' || n, 'whipcount' from generate_series(1, ${PAGES}) n;
      insert into core_target (type) select 'senate' from generate_series(1, 100);
      insert into core_action (user_id, page_id) select 1 + n * 7 % ${CALLERS}, 1 from generate_series(1, ${CALLERS}) n;
      insert into core_whipcountactioncalled (whipcountaction_id, page_id, user_id, target_id, response)
        select id, page_id, user_id, 1 + (id + n * 9) % 100, 'supportive' from core_action, generate_series(1, ${CALLS}) n`);
    await api.pool.query('vacuum analyze');
  });
  after(() => api.close());

  it('reads each call once, and not once for each count', async () => {
    const list = async () => {
      const counts = await listCounts(sqlOn(api.pool), { before: null, limit: 100 });
      assert.deepEqual(
        counts.map(({ calls, callers }) => [calls, callers]),
        [...Array.from({ length: PAGES - 1 }, () => [0, 0]), [CALLERS * CALLS, CALLERS]],
      );
    };
    assert.equal(await rowsRead(api.pool, 'core_whipcountactioncalled', list), CALLERS * CALLS);
  });
});
