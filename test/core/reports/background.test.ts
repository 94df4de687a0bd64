import { doesNotMatch, equal, match } from 'node:assert/strict';
import { inspect } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { Places } from '../../../activities/places.ts';
import { createReportActivities } from '../../../activities/reports/activities.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask } from '../../../core/reports/report-task.ts';
import { runReportTask } from '../../../core/reports/run-report-task.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { inActivity } from '../../support/in-activity.ts';
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

  it('alone says what the database said: a history keeps what is thrown, and values name people', async () => {
    await api.pool.query(`insert into core_user (email, first_name) values ('ada@example.org', 'Ada Lovelace')`);
    const id = await add('select first_name::int from core_user');
    const deps = { pool: api.pool, env: api.env, relay: new ScriptedRelay(1), places: new Places() };
    const failure = await inActivity(createReportActivities(deps))
      .runReportTask({ jobId: id })
      .catch((error) => error);
    equal(failure instanceof ApplicationFailure && failure.nonRetryable, true);
    doesNotMatch(inspect(failure), /Lovelace/);
    const { rows } = await api.pool.query('select status, errors::text as errors from core_backgroundtask where id = $1', [id]);
    equal(rows[0].status, 'failed');
    match(rows[0].errors, /Lovelace/);
  });
});
