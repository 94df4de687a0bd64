import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { type Child, logTail, startChild } from '../../embedded/child.ts';
import { COMPILED } from '../../embedded/programs.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { type Fate, type Statement, type StatementProxy, startStatementProxy } from '../support/statement-proxy.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

// A merge is one transaction, so its steps are the statements between begin and commit. One real worker process is brought to stand at all of them
// at once: as many merges as there are steps, each held at another one on its way to the database. Then it is killed.

const CLAIM = /from core_usermerge where id = \$1/;

describe('a worker killed in the middle of merges', () => {
  let pool: pg.Pool;
  let place: TestNamespace;
  let databaseUrl: string;
  let proxy: StatementProxy;
  const workers: Child[] = [];
  const log = join(dataFolder(), 'worker.log');
  /** By job: the step it is held at. */
  const holdAt = new Map<number, number>();
  const held = new Set<number>();
  /** The job whose commit arrives, and the answer to it does not. */
  let deaf = 0;
  /** Statements the merge that is held nowhere took, commit included, and the first of them that tells whose it is. */
  let steps = 0;
  let first = 0;

  function fates(): (nth: number, statement: Statement) => Fate {
    let job = 0;
    return (nth, { text, values }) => {
      if (nth === 0) job = 0;
      if (CLAIM.test(text)) {
        job = Number(values[0]);
        first = nth;
      }
      if (!job) return 'pass';
      const stop = holdAt.get(job);
      if (stop === undefined) steps = Math.max(steps, nth);
      const fate = nth !== stop ? 'pass' : job === deaf ? 'deafen' : 'hold';
      if (fate !== 'pass') held.add(job);
      return fate;
    };
  }

  const startWorker = async (port: number) => {
    const DATABASE_URL = Object.assign(new URL(databaseUrl), { port: String(port) }).href;
    const settings = { TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace, SMTP_URL: 'smtp://127.0.0.1:1', DATABASE_URL };
    const worker = await startChild({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../bin/worker.ts')],
      logFile: log,
      stopSignal: 'SIGKILL',
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, ...settings, CAMPAIGN_SLOTS: '120', DATABASE_POOL: '120' },
    });
    workers.push(worker);
    return worker;
  };

  before(async () => {
    [databaseUrl, place] = [await createDatabase(), await createNamespace()];
    await workflowBundle();
    pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    await pool.query(`insert into core_list (id, name) values (1, 'one'), (2, 'two')`);
    await pool.query(`insert into core_page (id, name, type) values (1, 'page', 'signup')`);
    proxy = await startStatementProxy(databaseUrl, fates);
  });
  after(async () => {
    for (const worker of workers) await worker.stop();
    proxy.close();
    await pool.end();
  });

  /** Two people with something in many tables, and the job that merges them. @returns the id of the job */
  async function insertJob(): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_user (email, state, source) values (gen_random_uuid() || '@example.org', 'NY', 'web'), (gen_random_uuid() || '@example.org', 'CA', 'import') returning id`,
    );
    const [primary, merged] = rows.map(({ id }) => id);
    await pool.query(`insert into core_subscription (user_id, list_id) values ($1, 1), ($2, 2)`, [primary, merged]);
    await pool.query(`update core_user set subscription_status = 'subscribed' where id in ($1, $2)`, [primary, merged]);
    await pool.query(`insert into core_userfield (parent_id, name, value) values ($1, 'shirt', 'L')`, [merged]);
    await pool.query(`insert into core_phone (user_id, phone, normalized_phone, type) values ($1, '1', '1', 'home')`, [merged]);
    await pool.query('insert into core_action (user_id, page_id) select $1, 1 from generate_series(1, 3)', [merged]);
    await pool.query(`insert into core_mailing (includes) values (jsonb_build_object('users', jsonb_build_array($1::int)))`, [merged]);
    const job = await pool.query(
      'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $3, $3) returning id',
      [primary, JSON.stringify([merged]), merged],
    );
    return job.rows[0].id;
  }

  const start = (id: number) =>
    place.client.workflow.start('mergeUsers', {
      workflowId: workflowId.mergeUsers(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ jobId: id }],
    });

  /** What stands in the database about the people of a job. */
  async function outcome(id: number) {
    const { rows } = await pool.query(
      `select j.status, array(select state || ' ' || source || ' ' || subscription_status from core_user where id in (j.primary_user, (j.users->>0)::int) order by id) as people,
         array(select list_id || ' ' || (user_id = j.primary_user) from core_subscription where user_id in (j.primary_user, (j.users->>0)::int) order by 1) as lists,
         array(select name || ' ' || (parent_id = j.primary_user) from core_userfield where parent_id in (j.primary_user, (j.users->>0)::int)) as fields,
         array(select phone || ' ' || (user_id = j.primary_user) from core_phone where user_id in (j.primary_user, (j.users->>0)::int)) as phones,
         (select count(*) filter (where user_id = j.primary_user) || ' of ' || count(*) from core_action where user_id in (j.primary_user, (j.users->>0)::int)) as actions,
         (select count(*)::int from core_mailing where includes->'users' @> to_jsonb(j.primary_user)) as named
       from core_usermerge j where id = $1`,
      [id],
    );
    return rows[0];
  }
  const UNTOUCHED = {
    status: 'pending',
    people: ['NY web subscribed', 'CA import subscribed'],
    lists: ['1 true', '2 false'],
    fields: ['shirt false'],
    phones: ['1 false'],
    actions: '0 of 3',
    named: 0,
  };
  const MERGED = {
    status: 'complete',
    people: ['CA import subscribed'],
    lists: ['1 true', '2 true'],
    fields: ['shirt true'],
    phones: ['1 true'],
    actions: '3 of 3',
    named: 1,
  };

  async function until(what: string, reached: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 200_000; !(await reached()); await sleep(50)) {
      assert.ok(Date.now() < end, `${what}:\n${logTail(log, 30)}`);
    }
  }

  it('leaves each as if it had not begun, wherever it stood, and the next worker does them all', async () => {
    const worker = await startWorker(proxy.port);
    const whole = await insertJob();
    await (await start(whole)).result();
    assert.deepEqual(await outcome(whole), MERGED);
    assert.ok(steps > 30, `${steps} steps`);

    const jobs: number[] = [];
    // Before the first statement of the job, before each one after it, before commit; and after commit, which the worker never hears of.
    for (let step = first; step <= steps + 1; step++) {
      const job = await insertJob();
      jobs.push(job);
      holdAt.set(job, step);
    }
    deaf = jobs.at(-1)!;
    holdAt.set(deaf, steps);
    for (const job of jobs) await start(job);
    await until('all of them stand', () => held.size === jobs.length);
    process.kill(worker.pid, 'SIGKILL');
    assert.equal(await worker.exited, 'signal SIGKILL');
    proxy.close();
    await until('the server has noticed', async () => {
      const { rows } = await pool.query(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and state like '%in transaction%'`,
      );
      return rows[0].n === 0;
    });
    for (const job of jobs)
      assert.deepEqual(await outcome(job), job === deaf ? MERGED : UNTOUCHED, `held at ${holdAt.get(job)} of ${steps}`);

    await startWorker(Number(new URL(databaseUrl).port));
    await Promise.all(jobs.map((job) => place.client.workflow.getHandle(workflowId.mergeUsers(job)).result()));
    for (const job of jobs) assert.deepEqual(await outcome(job), MERGED, `held at ${holdAt.get(job)} of ${steps}`);
  });
});
