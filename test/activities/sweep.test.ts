import { deepEqual, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { createSweepActivities } from '../../activities/sweep.ts';
import { RenewableConnection } from '../../config/renewable-connection.ts';
import { waitingJobs } from '../../core/forgotten.ts';
import { addReportTask } from '../../core/reports/report-task.ts';
import { sqlOn } from '../../db/sql.ts';
import { startOf, startOptions, workflowId } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { inActivity } from '../support/in-activity.ts';
import { idIn, READY } from '../support/mailings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { startFrontend } from '../support/temporal-frontend.ts';

describe('the sweep', () => {
  let api: TestApi;
  let place: TestNamespace;

  before(async () => {
    api = await startApi();
    place = await createNamespace();
  });
  after(() => api.close());

  it('starts everything else where something cannot be started, and says so then', async () => {
    const schedules: string[] = [];
    for (const period of ['daily', 'daily']) {
      const mailing = await api.create('mailer', READY);
      await api.create('recurringschedule', { mailing, period });
      schedules.push(workflowId.runRecurring(Number(mailing.split('/').at(-2))));
    }
    // As of a table of time zones that is newer than the workflow service's.
    await api.pool.query(`
      update core_recurringschedule set timezone = 'america/new_york' where id = (select min(id) from core_recurringschedule);
      insert into core_user (email) values ('ann@example.org');
      insert into core_erasure (user_id, options, updated_at) select id, '[]', now() - interval '1 hour' from core_user`);
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal: place.client, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await rejects(startForgotten(), /unknown time zone/);
    const { client } = place;
    const there = (found: Promise<unknown>) =>
      found.then(
        () => true,
        () => false,
      );
    deepEqual(
      await Promise.all([
        ...schedules.map((id) => there(client.schedule.getHandle(id).describe())),
        there(client.workflow.getHandle('user-erase-1').describe()),
      ]),
      [false, true, true],
    );
  });

  it('looks once for all who ask while it looks: a backfill of its schedule starts sweeps by the hundred', async () => {
    let asked = 0;
    const pool = new Proxy(api.pool, {
      get: (of, name) => {
        if (name === 'query') asked++;
        return Reflect.get(of, name).bind?.(of) ?? Reflect.get(of, name);
      },
    });
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool, sendPool: pool, temporal: place.client, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    const once = asked;
    await Promise.allSettled(Array.from({ length: 30 }, startForgotten));
    ok(asked <= 3 * once, `${once} questions for a look, ${asked - once} for thirty at once`);
  });

  it('finds mailings whose run was lost also while Temporal lists no runs', async () => {
    const [waits, died] = [await api.create('mailer', READY), await api.create('mailer', READY)];
    const [waiting, sending] = [idIn(waits), idIn(died)];
    await api.pool.query(
      `update core_mailing set status = case id when $1 then 'scheduled' else 'sending' end, scheduled_for = now() + interval '1 day', queued_at = now(),
         updated_at = now() - interval '1 hour' where id = any($2)`,
      [waiting, [waiting, sending]],
    );
    const handle = await place.client.workflow.start('sendMailing', startOptions(startOf('sendMailing', { mailingId: sending })));
    await handle.terminate();
    const list = () => {
      throw new Error('UNAVAILABLE: visibility store');
    };
    const workflow = new Proxy(place.client.workflow, {
      get: (of, name) => (name === 'list' ? list : (Reflect.get(of, name).bind?.(of) ?? Reflect.get(of, name))),
    });
    const temporal = Object.create(place.client, { workflow: { value: workflow } });
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    deepEqual((await api.read(died)).status, 'died');
    const { status } = await place.client.workflow.getHandle(workflowId.sendMailing(waiting)).describe();
    deepEqual(status.name, 'RUNNING');
  });

  it('starts everything else where Temporal never answers for some, and is over within its minute', async () => {
    const frontend = await startFrontend(place.address);
    const connection = new RenewableConnection({ address: frontend.address });
    try {
      frontend.refuse = (call) => (/^Describe|^List/.test(call) ? 'silence' : null);
      await api.create('mailer', READY);
      await api.pool.query(`
        update core_mailing set status = 'scheduled', scheduled_for = now() + interval '1 day', queued_at = now(), updated_at = now() - interval '1 hour';
        insert into core_user (email) values ('eve@example.org');
        insert into core_erasure (user_id, options, updated_at) select max(id), '[]', now() - interval '1 hour' from core_user`);
      const { rows } = await api.pool.query('select max(id) as id from core_erasure');
      const temporal = new Client({ connection, namespace: place.namespace });
      const log = { info() {}, warn() {}, error() {} };
      const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal, log, relay: new ScriptedRelay(1) };
      const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
      await rejects(Promise.race([startForgotten(), sleep(50_000)]), /Failed to describe/);
      const { status } = await place.client.workflow.getHandle(workflowId.eraseUser(rows[0].id)).describe();
      deepEqual(status.name, 'RUNNING');
    } finally {
      await connection.close();
      frontend.close();
    }
  });

  it('starts jobs of every kind where Temporal never answers for those of one', async () => {
    const temporal = new Client({ connection: place.client.connection, namespace: place.namespace });
    const { workflow } = temporal;
    const start = workflow.start.bind(workflow);
    const silent = () => sleep(4000).then(() => Promise.reject(new Error('no answer')));
    Object.assign(workflow, { start: (name: never, options: never) => (name === 'eraseUser' ? silent() : start(name, options)) });
    await api.pool.query(`
      with made as (insert into core_user (email) values ('first@example.org'), ('second@example.org') returning id)
      insert into core_erasure (user_id, options, updated_at) select id, '[]', now() - interval '1 hour' from made`);
    const statement = { text: 'select 1', values: [] };
    const jobId = await addReportTask(sqlOn(api.pool), { shortName: 'one', statement, format: 'csv', emails: [], accountId: null });
    await api.pool.query(`update core_backgroundtask set updated_at = now() - interval '1 hour' where id = $1`, [jobId]);
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await rejects(startForgotten(), /no answer/);
    const { status } = await place.client.workflow.getHandle(workflowId.runReport(jobId)).describe();
    deepEqual(status.name, 'RUNNING');
  });

  it('leaves what somebody has paused in Temporal as it is, and ends a paused send that was asked to stop', async () => {
    const { pool } = api;
    const [built, sent, stopped, calledOff] = [
      await api.create('mailer', READY),
      await api.create('mailer', READY),
      await api.create('mailer', READY),
      await api.create('mailer', READY),
    ];
    const polled = String((await api.call('POST', `${built}rebuild/`)).headers.location).slice(api.env.BASE_URL.length);
    await pool.query(
      `update core_mailing set status = 'sending', stop_requested = id = $1, queued_at = now(), updated_at = now() - interval '1 hour' where id = any($2)`,
      [idIn(stopped), [idIn(sent), idIn(stopped)]],
    );
    await pool.query(
      `update core_mailing set status = 'scheduled', scheduled_for = now() + interval '1 day', stop_requested = true, queued_at = now(), updated_at = now() - interval '1 hour'
       where id = $1`,
      [idIn(calledOff)],
    );
    await pool.query(`update core_mailingrebuild set created_at = now() - interval '1 hour'`);
    const { client } = place;
    const jobId = Number(polled.split('/').at(-2));
    const runs = [
      startOf('rebuildTargets', { mailingId: idIn(built), jobId }),
      ...[sent, stopped, calledOff].map((uri) => startOf('sendMailing', { mailingId: idIn(uri) })),
    ];
    for (const run of runs) await client.workflow.start(run.workflow, startOptions(run));
    // This server does not pause runs: these are told as one that does tells them.
    const describe = async (id: string) => {
      const described = await client.workflow.getHandle(id).describe();
      Object.assign(described.raw.workflowExecutionInfo!, { status: 8 });
      return { ...described, status: { code: 8, name: 'PAUSED' } };
    };
    const getHandle = (id: string, run?: string) =>
      Object.assign(Object.create(client.workflow.getHandle(id, run)), { describe: () => describe(id) });
    const workflow = new Proxy(client.workflow, {
      get: (of, name) => (name === 'getHandle' ? getHandle : (Reflect.get(of, name).bind?.(of) ?? Reflect.get(of, name))),
    });
    const temporal = Object.create(client, { workflow: { value: workflow } });
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool, sendPool: pool, temporal, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    deepEqual(
      [(await api.read(polled)).finished, (await api.read(sent)).status, (await api.read(stopped)).status],
      [false, 'sending', 'stopped'],
    );
    // What had not begun to go out is as it was.
    const { status, finished_at, errors } = await api.read(calledOff);
    deepEqual([status, finished_at, errors ?? null], ['draft', null, null]);
    const ends = await Promise.all(runs.map(({ workflowId }) => client.workflow.getHandle(workflowId).describe()));
    deepEqual(
      ends.map(({ status }) => status.name),
      ['RUNNING', 'RUNNING', 'TERMINATED', 'TERMINATED'],
    );
  });

  it('ends no run but the one that it has found paused: its mailing may have been queued again since', async () => {
    const { client } = place;
    const uri = await api.create('mailer', READY);
    const mailingId = idIn(uri);
    await api.pool.query(
      `update core_mailing set status = 'sending', stop_requested = true, queued_at = now(), updated_at = now() - interval '1 hour' where id = $1`,
      [mailingId],
    );
    const start = () => client.workflow.start('sendMailing', startOptions(startOf('sendMailing', { mailingId })));
    const former = await start();
    const describe = async () => {
      const described = await former.describe();
      Object.assign(described.raw.workflowExecutionInfo!, { status: 8 });
      await former.terminate();
      await api.pool.query(
        `update core_mailing set status = 'queued', stop_requested = false, queued_at = clock_timestamp() where id = $1`,
        [mailingId],
      );
      await start();
      return described;
    };
    const getHandle = (id: string, run?: string) =>
      Object.assign(Object.create(client.workflow.getHandle(id, run)), id === former.workflowId && { describe });
    const workflow = new Proxy(client.workflow, {
      get: (of, name) => (name === 'getHandle' ? getHandle : (Reflect.get(of, name).bind?.(of) ?? Reflect.get(of, name))),
    });
    const temporal = Object.create(client, { workflow: { value: workflow } });
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    const { status } = await client.workflow.getHandle(former.workflowId).describe();
    deepEqual([status.name, (await api.read(uri)).status], ['RUNNING', 'queued']);
  });

  it('says of a build and of proofs whose run has come to its end that the database has lost what became of them', async () => {
    const uri = await api.create('mailer', READY);
    const rebuild = String((await api.call('POST', `${uri}rebuild/`)).headers.location).slice(api.env.BASE_URL.length);
    const { rows } = await api.pool.query(
      `insert into core_mailingproof (mailing_id, proofs, reviewers, created_at) values ($1, 1, '["ann@example.org"]', now() - interval '1 hour') returning id`,
      [idIn(uri)],
    );
    await api.pool.query(`update core_mailingrebuild set created_at = now() - interval '1 hour' where mailing_id = $1`, [idIn(uri)]);
    const describe = async () => ({ status: { name: 'COMPLETED' }, memo: {}, raw: {} });
    const { client } = place;
    const getHandle = (id: string) => Object.assign(Object.create(client.workflow.getHandle(id)), { describe });
    const workflow = new Proxy(client.workflow, {
      get: (of, name) => (name === 'getHandle' ? getHandle : (Reflect.get(of, name).bind?.(of) ?? Reflect.get(of, name))),
    });
    const temporal = Object.create(client, { workflow: { value: workflow } });
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    for (const poll of [rebuild, `${uri}proofs/status/${rows[0].id}/`]) {
      const { finished, success, errors } = await api.read(poll);
      deepEqual([finished, success], [true, false]);
      deepEqual(errors, ['the database lost commits, and with them what became of this: ask again']);
    }
  });

  it('finds what has lost its run also where the clock of the database was set back since it was written', async () => {
    const uri = await api.create('mailer', READY);
    const id = idIn(uri);
    await api.pool.query(
      `update core_mailing set status = 'sending', queued_at = now() + interval '1 hour', updated_at = now() + interval '1 hour' where id = $1`,
      [id],
    );
    const { rows } = await api.pool.query(
      `with u as (insert into core_user (email) values ('later@example.org') returning id)
       insert into core_erasure (user_id, options, updated_at) select id, '[]', now() + interval '1 hour' from u returning id`,
    );
    await (await place.client.workflow.start('sendMailing', startOptions(startOf('sendMailing', { mailingId: id })))).terminate();
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal: place.client, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await startForgotten().catch(() => {});
    deepEqual((await api.read(uri)).status, 'died');
    const { status } = await place.client.workflow.getHandle(workflowId.eraseUser(rows[0].id)).describe();
    deepEqual(status.name, 'RUNNING');
  });

  it('comes to a mail without a run however many wait before it that are tried again and again', async () => {
    await api.pool.query(`
      insert into core_user (email) values ('bob@example.org');
      insert into core_transactionalmailing (user_id, status, created_at, updated_at)
        select min(id), 'pending', now() - interval '1 day', now() - interval '40 seconds' from core_user, generate_series(1, 1000) g group by g;
      insert into core_transactionalmailing (user_id, updated_at) select min(id), now() - interval '5 minutes' from core_user`);
    const { rows } = await api.pool.query('select max(id) as id from core_transactionalmailing');
    deepEqual((await waitingJobs(api.pool, 'sendConfirmation')).slice(0, 1), [rows[0].id]);
  });
});
