import { equal } from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask } from '../../../core/reports/report-task.ts';
import { runReportTask } from '../../../core/reports/run-report-task.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { ScriptedRelay } from '../../support/sending.ts';

describe('the task of a report in the background', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  const add = (text: string, emails: string[] = []) =>
    addReportTask(api.pool, { shortName: 'any', statement: { text, values: [] }, format: 'csv', emails, accountId: null });
  const run = (id: number) =>
    runReportTask({ pool: api.pool, env: api.env, relay: new ScriptedRelay(1) }, id, new AbortController().signal);

  it('says whom the result goes to also when its end was recorded by an attempt whose answer was lost', async () => {
    const id = await add('select 1 as one', ['ann@example.org', 'bob@example.org']);
    equal(await run(id), 2);
    equal(await run(id), 2);
  });
});
