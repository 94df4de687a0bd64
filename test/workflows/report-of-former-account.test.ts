import assert from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { mailReport, runReportTask } from '../../core/reports/run-report-task.ts';
import type { Mail } from '../../mail/contracts.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a report in the background whose account may not run reports any more', () => {
  const relay = new ScriptedRelay(4);
  const mails: Mail[] = [];
  let api: TestApi;
  let place: TestNamespace;
  let group: string;

  before(async () => {
    const DATA_DIR = dataFolder();
    api = await startApi({ DATA_DIR });
    await ensureReportRole(api.pool, api.env);
    place = await createNamespace();
    await runWorker(place, { DATABASE_URL: api.databaseUrl, DATA_DIR, BASE_URL: api.env.BASE_URL }, { relay });
    relay.answer = (mail) => {
      mails.push(mail);
      return { kind: 'accepted', reply: '250 ok' };
    };
    await api.create('queryreport', { name: 'People', short_name: 'people', sql: 'select email from core_user' });
    group = await api.create('authgroup', { name: 'those who run reports', grants: ['report:read'] });
  });
  after(() => api.close());

  /** Somebody new asks for the report. */
  async function ask(username: string): Promise<{ account: string; task: string; id: number }> {
    const login = { username, password: `${username}-password` };
    const account = await api.create('authuser', { ...login, groups: [group] });
    const body = { email_to: `${username}@elsewhere.example` };
    const answer = await api.call('POST', '/rest/v1/report/background/people/', body, { authorization: basic(login) });
    assert.equal(answer.statusCode, 201, answer.body);
    const task = String(answer.headers.location).replace(api.env.BASE_URL, '');
    return { account, task, id: Number(task.split('/')[4]) };
  }

  for (const [how, take] of [
    ['switched off', (uri: string) => api.call('PATCH', uri, { is_active: false })],
    ['taken out of its group', (uri: string) => api.call('PATCH', uri, { groups: [] })],
    ['deleted', (uri: string) => api.call('DELETE', uri)],
  ] as const)
    it(`is not run: ${how}`, async () => {
      const { account, task } = await ask(how.replaceAll(' ', '-'));
      assert.ok((await take(account)).statusCode < 300);
      const { workflow, workflowId, taskQueue, input } = api.workflows.starts.at(-1)!;
      await place.client.workflow.execute(workflow, { workflowId, taskQueue, args: [input] });
      const { status, errors } = await api.read(task);
      assert.deepEqual([status, errors], ['failed', ['It is not run: the account that asked for it may not run reports any more.']]);
      assert.deepEqual(mails, []);
    });

  it('is not mailed where it had been run before, and the mail had to wait', async () => {
    const [staying, left] = [await ask('staying'), await ask('left')];
    const deps = { pool: api.pool, env: api.env, relay };
    for (const { id } of [staying, left]) await runReportTask(deps, id, new AbortController().signal);
    await api.call('PATCH', left.account, { is_active: false });
    for (const { id } of [staying, left]) await mailReport(deps, id, 0);
    assert.deepEqual((await api.read(staying.task)).errors, []);
    assert.deepEqual((await api.read(left.task)).errors, ['Mail 1: skipped: the account that asked for it may not run reports any more']);
    assert.deepEqual(
      mails.map(({ envelopeTo }) => envelopeTo),
      ['staying@elsewhere.example'],
    );
  });
});
