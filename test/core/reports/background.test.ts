import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { Places } from '../../../activities/places.ts';
import { createReportActivities } from '../../../activities/reports/activities.ts';
import { waitingJobs } from '../../../core/forgotten.ts';
import { ReportFirstError, runErasure } from '../../../core/people/erasure-job.ts';
import { forgetInReports } from '../../../core/reports/forget.ts';
import { reportFiles } from '../../../core/reports/kept-report-files.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask, beginReportTask, completeReportTask, failReportTask, resultFile } from '../../../core/reports/report-task.ts';
import { runReportTask } from '../../../core/reports/run-report-task.ts';
import { type Sql, sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { inActivity } from '../../support/in-activity.ts';
import { HOLD, holdReports, reportsWait } from '../../support/reports-wait.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('the task of a report in the background', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    await ensureReportRole(api.pool, api.env);
    await reportsWait(api.pool);
  });
  after(() => api.close());

  const add = (text: string, emails: string[] = []) =>
    addReportTask(sqlOn(api.pool), { shortName: 'any', statement: { text, values: [] }, format: 'csv', emails, accountId: null });
  const run = (id: number) =>
    runReportTask({ pool: api.pool, env: api.env, relay: new ScriptedRelay(1) }, id, new AbortController().signal);
  /** @returns once it has read somebody */
  async function heldUp(id: number): Promise<{ running: Promise<unknown>; goOn(): Promise<void> }> {
    const { reached, goOn } = await holdReports(api.pool);
    const running = run(id);
    await reached();
    return { running, goOn };
  }

  it('is refused where many of one account come at once, and there is room for one', async () => {
    const many = { shortName: 'any', statement: { text: 'select 1', values: [] }, format: 'csv' as const, emails: [], accountId: 1 };
    await api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, emails, submitter_id) select 'any', '{}', 'csv', '[]', 1 from generate_series(1, 49)`,
    );
    const { late } = await inOneTransaction(api.pool, async (sql) => {
      await addReportTask(sql, many);
      const asked = inOneTransaction(api.pool, (other) => addReportTask(other, many)).catch((error: Error) => error.message);
      await untilWaiting(api.pool, 1, asked);
      return { late: asked };
    });
    match(String(await late), /has 50 reports in the background already/);
    await api.pool.query('delete from core_backgroundtask');
  });

  it('keeps its result where a DELETE comes to nothing, and leaves none behind where it comes through', async () => {
    const id = await add('select 1 as one');
    await run(id);
    const download = async () => (await api.call('GET', `/rest/v1/report/download/${id}/`)).statusCode;
    const remove = async () => (await api.call('DELETE', `/rest/v1/backgroundtask/${id}/`)).statusCode;
    await api.pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'the commit fails'; end $$;
      create constraint trigger refuse after delete on core_backgroundtask deferrable initially deferred for each row execute function refuse()`);
    const refused = [await remove(), await download()];
    await api.pool.query('drop trigger refuse on core_backgroundtask; drop function refuse');
    deepEqual(refused, [500, 200]);
    deepEqual([await remove(), await download(), await reportFiles(api).read(resultFile(id, 'csv'))], [204, 404, null]);
  });

  it('says whom the result goes to also when its end was recorded by an attempt whose answer was lost', async () => {
    const id = await add('select 1 as one', ['ann@example.org', 'bob@example.org']);
    equal(await run(id), 2);
    equal(await run(id), 2);
  });

  it('is not failed by an attempt that was given up, while another is at it', async () => {
    const id = await add(`select (${HOLD} || 'x')::int`);
    const { reached, goOn } = await holdReports(api.pool);
    const deps = { pool: api.pool, env: api.env, relay: new ScriptedRelay(1), places: new Places() };
    const givenUp = inActivity(createReportActivities(deps))
      .runReportTask({ jobId: id })
      .catch(() => 'failed');
    await reached();
    const present = (await beginReportTask(api.pool, id))!;
    await goOn();
    equal(await givenUp, 'failed');
    const status = async () => (await api.pool.query('select status from core_backgroundtask where id = $1', [id])).rows[0].status;
    equal(await status(), 'running');
    await failReportTask(api.pool, id, ['mine'], { nth: present.nth });
    equal(await status(), 'failed');
  });

  it('is not put back into the line by an attempt that found no place, and wakes when another one runs it', async () => {
    const id = await add('select 1 as one');
    const places = new Places();
    for (const account of [1, 2]) places.hold('report', account, () => new Promise(() => {}));
    let result: unknown;
    const query = async (text: unknown, values?: unknown[]) => {
      if (/set status = 'pending'/.test(String(text))) {
        const { reached, goOn } = await holdReports(api.pool);
        await api.pool.query('update core_backgroundtask set statement = $2 where id = $1', [id, { text: `select ${HOLD}`, values: [] }]);
        const running = run(id);
        await reached();
        const answer = await api.pool.query(text as string, values);
        await goOn();
        result = await running;
        return answer;
      }
      return api.pool.query(text as string, values);
    };
    const pool = Object.create(api.pool, { query: { value: query } });
    const late = inActivity(createReportActivities({ pool, env: api.env, relay: new ScriptedRelay(1), places })).runReportTask({
      jobId: id,
    });
    equal((await late.catch((error) => error)).type, 'NoPlaceYet');
    const { rows } = await api.pool.query('select status from core_backgroundtask where id = $1', [id]);
    deepEqual([result, rows[0].status], [0, 'completed']);
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

  it('is begun anew when somebody is erased while it runs, and its file does not keep them', async () => {
    const { rows } = await api.pool.query(`insert into core_user (email) values ('gone@example.org') returning id`);
    const id = await add(`select email, ${HOLD} from core_user where email like 'gone%'`);
    const { running, goOn } = await heldUp(id);
    const job = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id]);
    const log = { info() {}, warn() {}, error() {} };
    await runErasure({ pool: api.pool, env: api.env, log }, job.rows[0].id);
    await goOn();
    equal(await running, 0);
    const task = async () => (await api.pool.query('select status, row_count from core_backgroundtask where id = $1', [id])).rows[0];
    equal((await task()).status, 'pending');
    const folder = join(api.env.DATA_DIR, 'reports');
    for (const name of readdirSync(folder)) doesNotMatch(readFileSync(join(folder, name), 'utf8'), /gone@/);
    await run(id);
    deepEqual(await task(), { status: 'completed', row_count: 0 });
  });

  it('keeps nothing of an attempt that was given up and ends after another one: it has read somebody who was erased since', async () => {
    const { rows } = await api.pool.query(`insert into core_user (email) values ('slept@example.org') returning id`);
    const id = await add(`select email, ${HOLD} from core_user where email like 'slept%'`);
    const { running: givenUp, goOn } = await heldUp(id);
    const job = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id]);
    const log = { info() {}, warn() {}, error() {} };
    await runErasure({ pool: api.pool, env: api.env, log }, job.rows[0].id);
    await run(id);
    const kept = async () => [
      (await api.pool.query('select status, row_count from core_backgroundtask where id = $1', [id])).rows[0],
      readFileSync(join(api.env.DATA_DIR, 'reports', `report-${id}.csv`), 'utf8'),
    ];
    const done = await kept();
    deepEqual(done[0], { status: 'completed', row_count: 0 });
    await goOn();
    equal(await givenUp, 0);
    deepEqual(await kept(), done);
    deepEqual(
      readdirSync(join(api.env.DATA_DIR, 'reports')).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  it('leaves the result of another attempt as it is where it stood still as it wrote its end, and the database has given that up', async () => {
    const id = await add('select 1 as one');
    const { nth } = (await beginReportTask(api.pool, id))!;
    const draft = await reportFiles(api).draft(resultFile(id, 'csv'), Readable.from(['of another time']));
    const keep = async (sql: Sql) => {
      await api.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      );
      await run(id);
      await draft.keep(sql);
    };
    let looks = 0;
    await rejects(completeReportTask(api.pool, id, { nth, rows: 1, bytes: 15 }, keep, () => looks++ * 30_000));
    await draft.drop();
    await run(id);
    equal(readFileSync(join(api.env.DATA_DIR, 'reports', `report-${id}.csv`), 'utf8'), 'one\r\n1\r\n');
  });

  it('keeps nothing of such an attempt either where the one after it waits for what it needs', async () => {
    const { rows } = await api.pool.query(`insert into core_user (email) values ('dozed@example.org') returning id`);
    const id = await add(`select email, ${HOLD} from core_user where email like 'dozed%'`);
    const { running: givenUp, goOn } = await heldUp(id);
    const job = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id]);
    const log = { info() {}, warn() {}, error() {} };
    await runErasure({ pool: api.pool, env: api.env, log }, job.rows[0].id);
    const nowhere = { ...api.env, REPORT_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' };
    await rejects(
      runReportTask({ pool: api.pool, env: nowhere, relay: new ScriptedRelay(1) }, id, new AbortController().signal),
      /no connection/,
    );
    await goOn();
    equal(await givenUp, 0);
    const { rows: tasks } = await api.pool.query('select status from core_backgroundtask where id = $1', [id]);
    deepEqual(tasks, [{ status: 'running' }]);
    equal(existsSync(join(api.env.DATA_DIR, 'reports', `report-${id}.csv`)), false);
    await run(id);
    equal(readFileSync(join(api.env.DATA_DIR, 'reports', `report-${id}.csv`), 'utf8').includes('dozed@'), false);
  });

  it('is gone with the address in it, also where it ended while its user was erased and the worker died after that', async () => {
    const { rows } = await api.pool.query(`insert into core_user (email) values ('late@example.org') returning id`);
    const id = await add(`select email from core_user where email like 'late%'`);
    const job = (await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id])).rows[0].id;
    const log = { info() {}, warn() {}, error() {} };
    let connected = 0;
    const dying = Object.create(api.pool, {
      query: {
        value: async (text: unknown, values?: unknown[]) => {
          // The first thing after the commit, which is made on a connection of its own.
          if (String(text).includes('overtaken + 1')) throw new Error('Connection terminated');
          return api.pool.query(text as string, values);
        },
      },
      connect: {
        // Reports are looked through on the first, and the user is erased on the second.
        value: async () => {
          if (++connected === 2) await run(id);
          return api.pool.connect();
        },
      },
    });
    await rejects(runErasure({ pool: dying, env: api.env, log }, job), /Connection terminated/);
    const file = join(api.env.DATA_DIR, 'reports', `report-${id}.csv`);
    match(readFileSync(file, 'utf8'), /late@/);
    await api.pool.query(`update core_erasure set updated_at = now() - interval '1 hour' where id = $1`, [job]);
    deepEqual(await waitingJobs(api.pool, 'eraseUser'), [job]);
    await runErasure({ pool: api.pool, env: api.env, log }, job);
    equal(existsSync(file), false);
    deepEqual((await api.pool.query('select status, to_find from core_erasure where id = $1', [job])).rows, [
      { status: 'complete', to_find: null },
    ]);
    deepEqual(await waitingJobs(api.pool, 'eraseUser'), []);
  });

  it('never counts as complete without its result, where somebody in it is looked for while its end is being committed', async () => {
    const id = await add(`select 'moment@' || 'example.org' as email`, ['ann@example.org']);
    await api.pool.query(`create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(8); return null; end $$;
      create constraint trigger hold after update on core_backgroundtask deferrable initially deferred for each row
      when (new.status = 'completed') execute function hold()`);
    const holder = await api.pool.connect();
    await holder.query('select pg_advisory_lock(8)');
    const running = run(id);
    const file = join(api.env.DATA_DIR, 'reports', resultFile(id, 'csv'));
    while (!existsSync(file)) await sleep(20);
    let over = false;
    const forgetting = forgetInReports(api.pool, reportFiles(api), ['moment@example.org']).finally(() => {
      over = true;
    });
    const waits = `select from pg_locks where not granted and locktype in ('tuple', 'transactionid')`;
    while (!over && !(await api.pool.query(waits)).rowCount) await sleep(20);
    await holder.query('select pg_advisory_unlock(8)');
    holder.release();
    await Promise.all([running, forgetting]);
    await api.pool.query('drop trigger hold on core_backgroundtask; drop function hold');
    // To be run anew, for whoever waits for its mail.
    const { rows } = await api.pool.query('select status from core_backgroundtask where id = $1', [id]);
    deepEqual([rows[0]?.status, existsSync(file)], ['pending', false]);
  });

  it('is let come to its end after three erasures: those that come later wait for it, an hour at most', async () => {
    const id = await add('select count(*) from core_targetgroup');
    const log = { info() {}, warn() {}, error() {} };
    const ask = async () => {
      const { rows } = await api.pool.query(`insert into core_user (email) values (gen_random_uuid() || '@example.org') returning id`);
      return (await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id])).rows[0].id;
    };
    const erase = (job: number) => runErasure({ pool: api.pool, env: api.env, log }, job);
    const status = async () => (await api.pool.query('select status from core_backgroundtask where id = $1', [id])).rows[0].status;
    /** However long that takes, the report is not over before: what it reads, and no erasure does, is locked until then. */
    const during = async (work: () => Promise<void>) => {
      const client = await api.pool.connect();
      await client.query('begin; lock table core_targetgroup in access exclusive mode');
      const running = run(id);
      try {
        while ((await status()) === 'pending') await sleep(20);
        await work();
      } finally {
        await client.query('commit');
        client.release();
      }
      await running;
      return status();
    };
    for (let n = 0; n < 3; n++) equal(await during(async () => erase(await ask())), 'pending');
    const late = await ask();
    equal(await during(() => rejects(erase(late), ReportFirstError)), 'completed');
    await erase(late);
    const states = await api.pool.query('select status from core_erasure where status <> $1', ['complete']);
    deepEqual(states.rows, []);

    await api.pool.query(`update core_backgroundtask set status = 'pending' where id = $1`, [id]);
    const old = await ask();
    await api.pool.query(`update core_erasure set created_at = now() - interval '61 minutes' where id = $1`, [old]);
    equal(await during(() => erase(old)), 'pending');
  });
});
