import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { build } from '../../api/app.ts';
import { installConsole } from '../../console/console.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { clearOld } from '../../core/retention.ts';
import { ADMIN, basic, passwordsInEarnest, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const ROWS = 50_000;

describe('two APIs on one database, sharing no folder with each other or the worker', () => {
  let one: TestApi;
  let other: FastifyInstance;
  let place: TestNamespace;

  before(async () => {
    place = await createNamespace();
    one = await startApi({ REPORT_FILES: 'database', DATA_DIR: dataFolder(), ACCOUNT_CACHE_MS: '1000', REPORT_CACHE_AFTER_MS: '0' });
    passwordsInEarnest();
    const { orm, pool, workflows } = one;
    other = await build({ env: { ...one.env, DATA_DIR: dataFolder() }, orm, pool, workflows, pages: installConsole });
    await ensureReportRole(one.pool, one.env);
    await runWorker(place, {
      DATABASE_URL: one.databaseUrl,
      DATA_DIR: dataFolder(),
      REPORT_FILES: 'database',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
  });
  after(async () => {
    await other.close();
    await one.close();
  });

  /** What an API asked for last, done by the worker. */
  const runLast = () => {
    const { workflow, input, ...start } = one.workflows.starts.at(-1)!;
    return place.client.workflow.execute(workflow, { workflowId: start.workflowId, taskQueue: start.taskQueue, args: [input] });
  };
  const readAtOther = async (url: string) => (await other.inject({ method: 'GET', url, headers: { authorization: basic() } })).json();
  /** A file sent to the first. @returns its address */
  const send = async (resource: string, name: string, csv: string, fields: Record<string, string> = {}) => {
    const part = (about: string, content: string) => `--b\r\nContent-Disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
    const given = Object.entries(fields).map(([field, value]) => part(`name="${field}"`, value));
    const body = `${given.join('')}${part(`name="${name}"; filename="people.csv"`, csv)}--b--\r\n`;
    const answer = await one.call('POST', `/rest/v1/${resource}/`, body, { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).slice(one.env.BASE_URL.length);
  };

  const at = (app: FastifyInstance) => (username: string, password: string) =>
    app.inject({ method: 'GET', url: '/rest/v1/', headers: { authorization: basic({ username, password }) } });
  const statusAt = async (app: FastifyInstance, username: string, password: string) => (await at(app)(username, password)).statusCode;

  it('look at ten wrong passwords a minute together', async () => {
    await one.create('authuser', { username: 'guessed', password: 'guessed-password' });
    const statuses: number[] = [];
    for (let n = 0; n < 14; n++) statuses.push(await statusAt(n % 2 ? one.app : other, 'guessed', `guess ${n}`));
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(4).fill(429)]);
  });

  it('take the button of a page that the other has shown, whose clock is ahead, also where that is in the next hour already', async () => {
    const list = await one.create('list', { name: 'Leaving' });
    await one.create('signuppage', { name: 'leaving', list });
    const { akid } = (await one.call('POST', '/rest/v1/action/', { page: 'leaving', email: 'leaving@example.org' })).json();
    const hour = 3_600_000 * Math.ceil(Date.now() / 3_600_000);
    const byClock = <Answer>(minutes: number, ask: () => Promise<Answer>): Promise<Answer> => {
      mock.timers.enable({ apis: ['Date'], now: hour + 60_000 * minutes });
      return ask().finally(() => mock.timers.reset());
    };
    const asked = await byClock(5, () => other.inject({ method: 'GET', url: `/unsubscribe/?akid=${akid}` }));
    const [, action] = /<form method="post" action="([^"]+)"/.exec(asked.body)!;
    const url = `/unsubscribe/${action!.replaceAll('&amp;', '&')}`;
    const answer = await byClock(-5, () => one.app.inject({ method: 'POST', url }));
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal((await one.read('/rest/v1/user/?email=leaving@example.org')).objects[0].subscription_status, 'unsubscribed');
  });

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
  });

  it('both give the result of a report that a worker elsewhere has run', async () => {
    await one.create('queryreport', {
      name: 'Many',
      short_name: 'many',
      sql: `select g, repeat('ä', 20) from generate_series(1, ${ROWS}) g`,
    });
    const asked = await one.call('POST', '/rest/v1/report/background/many/');
    await runLast();
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
  });

  it('both know what was sent to one of them in a file, which a worker elsewhere takes in', async () => {
    const page = await one.create('importpage', { name: 'import', list: await one.create('list', { name: 'Imported' }) });
    const upload = await send('upload', 'upload', 'email,first_name\nann@example.org,Ann\n', { page });
    await runLast();
    const { is_completed: completed } = await readAtOther(upload);
    assert.equal(completed, true);
    assert.equal((await readAtOther('/rest/v1/user/?email=ann@example.org')).objects[0].first_name, 'Ann');
    const mergefile = await send('mergefile', 'file', 'email,code\nann@example.org,7\n');
    assert.deepEqual(await readAtOther(mergefile), await one.read(mergefile));
  });

  it('both give the result of a report that one of them has kept', async () => {
    const payload = { query: 'select clock_timestamp()::text' };
    const first = await one.call('POST', '/rest/v1/report/run/sql/', payload);
    // The answer is not held up by the keeping, and the other one, asked before, would keep its own.
    const isKept = async () => (await one.pool.query('select from report_cache where content = $1', [first.body])).rowCount === 1;
    for (let tries = 0; tries < 4000 && !(await isKept()); tries++) await sleep(50);
    const again = await other.inject({ method: 'POST', url: '/rest/v1/report/run/sql/', payload, headers: { authorization: basic() } });
    assert.deepEqual([again.statusCode, again.body], [200, first.body]);
  });

  it('both take a login at the console of one of them, and each the forms of the other, until the logout', async () => {
    const visitor = new ConsoleVisitor(one.app);
    await visitor.logIn(ADMIN);
    const there = visitor.copy(other);
    assert.equal((await there.get('/console/')).statusCode, 200);
    const token = visitor.token(await visitor.get('/console/'));
    assert.equal((await there.post('/console/logout', { _csrf: token })).statusCode, 303);
    assert.equal((await visitor.get('/console/')).statusCode, 303);
  });

  it('both lead to a link that a mailing has only since one of them was asked for another', async () => {
    const mailing = Number(/\d+/.exec((await one.create('mailer', { subjects: ['Hello'] })).split('mailer')[1]!)![0]);
    const addLink = (n: number) =>
      one.pool.query('insert into core_mailinglink (mailing_id, number, url) values ($1, $2, $3)', [
        mailing,
        n,
        `https://example.org/${n}`,
      ]);
    const click = (app: FastifyInstance, n: number) => app.inject({ method: 'GET', url: `/click/${mailing}.1.abcdef/${n}` });
    await addLink(0);
    for (const app of [one.app, other]) assert.equal((await click(app, 0)).headers.location, 'https://example.org/0');
    await addLink(1);
    // Not by everybody who makes up numbers: once a second.
    await sleep(1_100);
    for (const app of [one.app, other]) assert.equal((await click(app, 1)).headers.location, 'https://example.org/1');
    assert.equal((await click(other, 2)).statusCode, 404);
  });
});
