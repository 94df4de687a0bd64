import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { build } from '../../api/app.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { clearOld } from '../../core/retention.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const ROWS = 50_000;

describe('two APIs on one database, sharing no folder with each other or the worker', () => {
  let one: TestApi;
  let other: FastifyInstance;

  before(async () => {
    one = await startApi({ REPORT_FILES: 'database', DATA_DIR: dataFolder(), ACCOUNT_CACHE_MS: '1000' });
    const { orm, pool, workflows } = one;
    other = await build({ env: { ...one.env, DATA_DIR: dataFolder() }, orm, pool, workflows });
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  const at = (app: FastifyInstance) => (username: string, password: string) =>
    app.inject({ method: 'GET', url: '/rest/v1/', headers: { authorization: basic({ username, password }) } });
  const statusAt = async (app: FastifyInstance, username: string, password: string) => (await at(app)(username, password)).statusCode;

  it('look at ten wrong passwords a minute together', async () => {
    await one.create('authuser', { username: 'guessed', password: 'guessed-password' });
    const statuses: number[] = [];
    for (let n = 0; n < 14; n++) statuses.push(await statusAt(n % 2 ? one.app : other, 'guessed', `guess ${n}`));
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(4).fill(429)]);
  }).timeout(240_000);

  it('take no password any more once its change was answered, nor an account that was closed', async () => {
    const uri = await one.create('authuser', { username: 'changing', password: 'first-password' });
    for (const app of [one.app, other]) assert.equal(await statusAt(app, 'changing', 'first-password'), 200);
    const busy = { over: false };
    // Asked all the while, so that the other one remembers.
    const asking = (async () => {
      while (!busy.over) await statusAt(other, 'changing', 'first-password');
    })();
    assert.equal((await one.call('PATCH', uri, { password: 'second-password' })).statusCode, 202);
    busy.over = true;
    const now = await statusAt(other, 'changing', 'first-password');
    await asking;
    assert.equal(now, 401);
    assert.equal(await statusAt(other, 'changing', 'second-password'), 200);
    await one.call('PATCH', uri, { is_active: false });
    assert.equal(await statusAt(other, 'changing', 'second-password'), 401);
  }).timeout(240_000);

  it('both give the result of a report that a worker elsewhere has run', async () => {
    await ensureReportRole(one.pool, one.env);
    const place = await createNamespace();
    await runWorker(place, {
      DATABASE_URL: one.databaseUrl,
      DATA_DIR: dataFolder(),
      REPORT_FILES: 'database',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
    await one.create('queryreport', {
      name: 'Many',
      short_name: 'many',
      sql: `select g, repeat('ä', 20) from generate_series(1, ${ROWS}) g`,
    });
    const asked = await one.call('POST', '/rest/v1/report/background/many/');
    const start = one.workflows.starts.at(-1)!;
    await place.client.workflow.execute(start.workflow, { workflowId: start.workflowId, taskQueue: start.taskQueue, args: [start.input] });
    const task = await one.read(String(asked.headers.location).slice(one.env.BASE_URL.length));
    const results = await Promise.all(
      [one.app, other].map((app) => app.inject({ method: 'GET', url: task.download, headers: { authorization: basic() } })),
    );
    for (const { statusCode, rawPayload } of results) {
      assert.deepEqual([statusCode, rawPayload.length], [200, task.byte_count]);
      assert.equal(rawPayload.toString('utf8').split('\r\n').length, ROWS + 2);
    }

    await one.pool.query(`update core_backgroundtask set finished_at = now() - interval '1 year'`);
    await one.pool.query(`update report_file set written_at = now() - interval '1 year'`);
    const { files } = await clearOld({ pool: one.pool, env: one.env, log: { info() {}, warn() {}, error() {} } });
    assert.equal(files, 1);
    assert.equal((await one.pool.query('select from report_filechunk')).rowCount, 0);
  }).timeout(240_000);
});
