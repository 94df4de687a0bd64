import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createSweepActivities } from '../../activities/sweep.ts';
import { lookAtRoutes } from '../../api/health/builds.ts';
import { lookAtRuns } from '../../api/health/runs.ts';
import { lookAtTemporal } from '../../api/health/temporal.ts';
import { runCommand } from '../../cli/command-line.ts';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { inActivity } from '../support/in-activity.ts';
import { ledgerStates, queueMailing, ScriptedRelay, shardCounters } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('builds of the workers that Temporal knows', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let settings: Record<string, string>;

  before(async () => {
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    settings = { DATABASE_URL: url, SEND_SLICE_SECONDS: '1', SEND_SHARD_SIZE: '500', SEND_SLOTS: '1' };
  });
  after(() => pool.end());

  const cli = (...args: string[]) => cliOf(place.namespace, ...args);
  const cliOf = async (TEMPORAL_NAMESPACE: string, ...args: string[]) => {
    let said = '';
    const take = (text: string) => {
      said += `${text}\n`;
    };
    const code = await runCommand(
      ['workers', ...args],
      { TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE },
      { out: take, problem: take, redraw: null, ask: null, input: async () => '' },
    );
    return { code, said };
  };
  const begun = async (build: string) => {
    for (;;) {
      const { code, said } = await cli('current', build);
      if (code === 0) return said;
      match(said, /knows no such worker|Temporal refuses/);
      await sleep(100);
    }
  };

  it('are none where no worker ever named one, as by default, and it is said who is given runs', async () => {
    const unnamed = { code: 0, said: 'Runs of campaign-platform go to workers without WORKER_BUILD_ID.\n' };
    deepEqual(await cli(), unnamed);
    deepEqual(await cli('current', 'none'), unnamed);
    const { code, said } = await cli('current', 'one');
    equal(code, 1);
    match(said, /no Worker Deployment found/);
    const json = await cli('--json');
    deepEqual(JSON.parse(json.said), { deployment: 'campaign-platform', current: null, ramping: null, builds: [] });
    deepEqual(await cliOf('of-nobody'), {
      code: 3,
      said: 'TEMPORAL_NAMESPACE: Temporal has no namespace of-nobody, which npm run migrate makes\n',
    });
  });

  it('are given runs when they are made current, and take a send over that another began', async () => {
    const relays = [new ScriptedRelay(8), new ScriptedRelay(8)] as const;
    // Of the first one half is held until there is another, however long that takes to come.
    const other = Promise.withResolvers<void>();
    relays[0].answer = async (_mail, nth) => {
      if (nth > 600) await other.promise;
      return { kind: 'accepted', reply: '250 ok' };
    };
    const first = await runWorker(place, { ...settings, WORKER_BUILD_ID: 'one' }, { relay: relays[0] });
    match(await begun('one'), /one +\S+ +current/);
    const id = await queueMailing(pool, 1200, { rate: 80 });
    const run = await place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId: id }],
    });
    while (((await shardCounters(pool, id))['accepted'] ?? 0) < 100) await sleep(20);

    const second = await runWorker(place, { ...settings, WORKER_BUILD_ID: 'two' }, { relay: relays[1] });
    await sleep(1500);
    equal(relays[1].written.length, 0, 'a build that is not current has nothing to do');
    match(await begun('two'), /two +\S+ +current/);
    const stopped = first.stop();
    other.resolve();
    await stopped;
    equal(await run.result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 1200 });
    const all = relays.flatMap(({ written }) => written);
    deepEqual([all.length, new Set(all).size], [1200, 1200]);
    equal(relays[1].written.length > 0, true);

    match((await cli('ramp', 'one', '10')).said, /one +\S+ +10 % of what begins/);
    match((await cli('ramp', 'none', '5')).said, /^5 % of what begins of campaign-platform goes to workers without WORKER_BUILD_ID/);
    match((await cli('current', 'none')).said, /^Runs of campaign-platform go to workers without WORKER_BUILD_ID/);
    await second.stop();
  });

  it('have a run that somebody pinned to one that is gone told by doctor, and ended by a stop', async () => {
    const { client, namespace } = place;
    const gone = await runWorker(place, { ...settings, WORKER_BUILD_ID: 'gone' }, { relay: new ScriptedRelay(1) });
    await begun('gone');
    await gone.stop();
    const id = await queueMailing(pool, 1);
    const { workflow, ...start } = { workflow: 'sendMailing', workflowId: workflowId.sendMailing(id), taskQueue: TASK_QUEUE.campaign };
    const run = await client.workflow.start(workflow, { ...start, args: [{ mailingId: id }] });
    await client.workflowService.updateWorkflowExecutionOptions({
      namespace,
      workflowExecution: { workflowId: run.workflowId },
      workflowExecutionOptions: {
        versioningOverride: { pinned: { behavior: 1, version: { deploymentName: 'campaign-platform', buildId: 'gone' } } },
      },
      updateMask: { paths: ['versioning_override'] },
    });
    const said = async () => (await lookAtRuns(client)).map(({ says }) => says);
    let pinned = await said();
    for (; !pinned.length; pinned = await said()) await sleep(100);
    deepEqual(pinned, [`${run.workflowId} was pinned in Temporal to build gone, of which no worker takes its next step`]);
    await pool.query(`update core_mailing set stop_requested = true, updated_at = now() - interval '1 hour' where id = $1`, [id]);
    const log = { info() {}, warn() {}, error() {} };
    const env = readEnv({ ...settings, NODE_ENV: 'test' });
    const deps = {
      env,
      pool,
      sendPool: pool,
      temporal: client,
      log,
      relay: new ScriptedRelay(1),
      shuttingDown: new AbortController().signal,
    };
    await inActivity(createSweepActivities(deps as never)).startForgotten();
    equal((await run.describe()).status.name, 'TERMINATED');
    const { rows } = await pool.query('select status, stop_requested from core_mailing where id = $1', [id]);
    deepEqual(rows, [{ status: 'draft', stop_requested: false }]);
  });

  it('are named by doctor where runs go to one that is not there: they wait, the sweep among them, though workers of others poll as ever', async () => {
    const own = await createNamespace();
    const worker = await runWorker(own, { ...settings, WORKER_BUILD_ID: 'named' }, { relay: new ScriptedRelay(1) });
    const env = readEnv({ ...settings, TEMPORAL_ADDRESS: own.address, TEMPORAL_NAMESPACE: own.namespace });
    const said = async () =>
      (await lookAtTemporal(env)).filter(({ part }) => part === 'workers').map(({ says, todo }) => `${says}; ${todo}`);
    const todo = 'start one, or give its runs to another: npm run --silent cli -- workers';
    /** What is said instead, once it is; under much load Temporal may not answer in time. */
    const saidNext = async (before: RegExp) => {
      for (; ; await sleep(200)) {
        const all = await said();
        if (!before.test(all[0]!) && !/did not answer/.test(all[0]!)) return all;
      }
    };
    deepEqual(await saidNext(/^nobody takes/), [
      `runs go to workers without WORKER_BUILD_ID, of which none is there; ${todo} current named`,
    ]);
    const change = { namespace: own.namespace, deploymentName: 'campaign-platform', buildId: 'named' };
    const { workflowService } = own.client;
    while (!(await workflowService.setWorkerDeploymentCurrentVersion(change).catch(() => null))) await sleep(200);
    while (!/^1 on every task queue/.test((await said())[0]!)) await sleep(200);
    await workflowService.setWorkerDeploymentRampingVersion({ ...change, buildId: '', percentage: 25 });
    deepEqual(await saidNext(/^1 on every task queue/), [
      `25 % of runs go to workers without WORKER_BUILD_ID, of which none is there; ${todo} ramp none 0`,
    ]);
    await worker.stop();

    const [one, two] = ['one', 'two'].map((build) => ({ deployment: 'campaign-platform', build }));
    const found = (...all: Parameters<typeof lookAtRoutes>) => lookAtRoutes(...all).map(({ says, todo }) => `${says}; ${todo}`);
    deepEqual(found([{ build: one!, percent: 100 }], [one!, null]), []);
    deepEqual(found([{ build: one!, percent: 100 }], [null]), [
      `runs go to build one of campaign-platform, of which none is there; ${todo} current none`,
    ]);
    deepEqual(
      found(
        [
          { build: one!, percent: 75 },
          { build: two!, percent: 25 },
        ],
        [two!],
      ),
      [`75 % of runs go to build one of campaign-platform, of which none is there; ${todo} current two`],
    );
  });

  it('are refused with words where there is no such build, or the words make no sense', async () => {
    const [unknown, odd, wrong] = [await cli('current', 'three'), await cli('begin', 'one'), await cli('ramp', 'one', '101')];
    deepEqual([unknown.code, odd.code, wrong.code], [1, 2, 2], unknown.said + odd.said + wrong.said);
  });
});
