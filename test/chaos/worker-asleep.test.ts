import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import { type Child, logTail, startChild } from '../../embedded/child.ts';
import { COMPILED } from '../../embedded/programs.ts';
import { startOf, startOptions } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

// A process that is stopped, or whose machine is suspended or gone without a word, keeps its connections open: the server goes on holding for it what it had locked.

describe('a worker that stands still in the middle of an import, a merge and a build', () => {
  let pool: pg.Pool;
  let place: TestNamespace;
  let databaseUrl: string;
  const workers: Child[] = [];
  const log = join(dataFolder(), 'worker.log');

  const startWorker = async () => {
    const settings = {
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: 'smtp://127.0.0.1:1',
      DATABASE_URL: databaseUrl,
    };
    const worker = await startChild({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../bin/worker.ts')],
      logFile: log,
      stopSignal: 'SIGKILL',
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, ...settings },
    });
    workers.push(worker);
    return worker;
  };

  before(async () => {
    [databaseUrl, place] = [await createDatabase(), await createNamespace()];
    await workflowBundle();
    pool = new pg.Pool({ connectionString: databaseUrl, max: 6 });
    await pool.query(`insert into core_list (id, name) values (1, 'one')`);
    await pool.query(`insert into core_page (id, name, type, list_id) values (1, 'page', 'import', 1)`);
    await pool.query(
      `insert into core_user (id, email, subscription_status) values (1, 'a@example.org', 'subscribed'), (2, 'b@example.org', 'never'), (3, 'c@example.org', 'never')`,
    );
    await pool.query(`insert into core_subscription (user_id, list_id) values (1, 1)`);
  });
  after(async () => {
    for (const worker of workers) {
      process.kill(worker.pid, 'SIGCONT');
      await worker.stop();
    }
    await pool.end();
  });

  const id = async (text: string): Promise<number> => (await pool.query<{ id: number }>(text)).rows[0]!.id;
  async function until(what: string, reached: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
    for (const end = performance.now() + withinMs; !(await reached()); await sleep(100))
      assert.ok(performance.now() < end, `${what}:\n${logTail(log, 30)}`);
  }

  it('holds nobody up: another one does them all, and when it wakes nothing changes', async () => {
    const upload = await id(
      `insert into core_upload (page_id, filename, columns, line_count) values (1, 'f.csv', '["email", "first_name"]', 2) returning id`,
    );
    await pool.query(
      `insert into core_uploadblock (upload_id, lane, nth, lines) values ($1, 0, 0, '[[2,"a@example.org","Ann"],[3,"new@example.org","New"]]')`,
      [upload],
    );
    const merge = await id(
      `insert into core_usermerge (primary_user, users, address_user, source_user) values (2, '[3]', 2, 2) returning id`,
    );
    await pool.query(`insert into core_phone (user_id, phone, normalized_phone, type) values (3, '1', '1', 'home')`);
    const mailing = await id(`insert into core_mailing default values returning id`);
    const build = await id(
      `insert into core_mailingrebuild (mailing_id, targeting_version) select id, targeting_version from core_mailing where id = ${mailing} returning id`,
    );

    // Each comes to stand in its transaction before the first of these, which a test can hold as well as a busy server.
    const held = await pool.connect();
    await held.query('begin');
    await held.query('lock table core_subscription, core_phone, send_set in share mode');
    const worker = await startWorker();
    const runs = await Promise.all(
      [
        startOf('importUpload', { jobId: upload }),
        startOf('mergeUsers', { jobId: merge }),
        startOf('rebuildTargets', { mailingId: mailing, jobId: build }),
      ].map((start) => place.client.workflow.start(start.workflow, startOptions(start))),
    );
    const waiting = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until('all three wait', async () => (await pool.query(waiting)).rows[0].n === 3);
    process.kill(worker.pid, 'SIGSTOP');
    await held.query('rollback');
    held.release();
    await startWorker();

    await pool.query(`begin; set local lock_timeout = '45s'; update core_user set city = 'Springfield' where id = any('{1,2}'); commit`);
    await Promise.race([
      Promise.all(runs.map((run) => run.result())),
      sleep(90_000).then(() => assert.fail(`they are not over:\n${logTail(log, 30)}`)),
    ]);
    const outcome = async () =>
      (
        await pool.query(
          `select (select status || progress from core_upload) as upload, (select status from core_usermerge) as merge, (select success::text || results from core_mailingrebuild) as build,
             array(select id || first_name from core_user order by id) as people, (select count(*)::int from core_action) as actions,
             array(select user_id from core_phone) as phones`,
        )
      ).rows[0];
    const done = await outcome();
    const made = done.people[2];
    assert.deepEqual(done, {
      upload: 'completed2',
      merge: 'complete',
      build: `true${done.build.slice(4)}`,
      people: ['1Ann', '2', made],
      actions: 2,
      phones: [2],
    });
    process.kill(worker.pid, 'SIGCONT');
    await sleep(3000);
    assert.deepEqual(await outcome(), done);
    // It has given up what it lost, and works on.
    process.kill(worker.pid, 0);
  });
});
