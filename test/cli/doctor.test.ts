import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { ensureSchedules } from '../../activities/schedules.ts';
import { lookAtItsClock } from '../../api/health/temporal-clock.ts';
import { runCommand } from '../../cli/command-line.ts';
import { readEnv } from '../../config/env.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { newConnection } from '../../db/driver.ts';
import { identityOf } from '../../db/identity.ts';
import type { Finding } from '../../domain/finding.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startProxy } from '../../tools/chaos/proxy.ts';
import { startOf, startOptions } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('npm run cli -- doctor', () => {
  const DATA_DIR = dataFolder();
  let api: TestApi;
  let place: TestNamespace;
  let settings: Record<string, string>;
  let closeSink: () => Promise<void>;

  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    place = await createNamespace();
    const sink = await startSmtpSink({ keep: 1 });
    closeSink = () => sink.close();
    settings = {
      DATA_DIR,
      DATABASE_URL: api.databaseUrl,
      // The tests' own server does not wait for its disk.
      ALLOW_ASYNC_STANDBY: 'true',
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: sink.url,
      BASE_URL: api.env.BASE_URL,
      API_URL: await api.app.listen({ port: 0, host: '127.0.0.1' }),
    };
  });
  after(async () => {
    await closeSink();
    await api.close();
  });

  async function run(more: Record<string, string> = {}, args: string[] = []) {
    const said: Record<'out' | 'problem', string[]> = { out: [], problem: [] };
    const terminal = {
      out: (text: string) => void said.out.push(text),
      problem: (text: string) => void said.problem.push(text),
      redraw: null,
      ask: null,
      input: async () => '',
    };
    const code = await runCommand(['doctor', ...args], { ...settings, ...more }, terminal);
    return { code, out: said.out.join('\n'), problem: said.problem.join('\n') };
  }
  const findings = async (more: Record<string, string> = {}) => JSON.parse((await run(more, ['--json'])).out) as Finding[];
  const notWell = async (more: Record<string, string> = {}) =>
    Object.fromEntries(
      (await findings(more)).filter(({ state }) => state !== 'well').map(({ part, says, todo }) => [part, `${says}; ${todo}`]),
    );

  it('says what is missing, and what to do: no worker, no schedules', async () => {
    const found = await notWell();
    match(found['workers']!, /nobody takes what waits on campaign, proofs, sending, sql, crm, webhooks; npm run worker/);
    match(found['schedules']!, /there is no sweep.*; npm run migrate/);
    const { code, problem, out } = await run();
    deepEqual([code, problem], [1, '2 parts are not well.']);
    match(out, /^WRONG +workers +nobody takes/m);
    match(out, /^ok +database +PostgreSQL 18/m);
    match(
      (await notWell({ ALLOW_ASYNC_STANDBY: 'false' }))['database']!,
      /does not write to its disk what it confirms.*; docs\/cluster\.md/,
    );
  });

  it('finds everything well where it is', async () => {
    await ensureSchedules(place.client, readEnv(settings));
    const worker = await runWorker(place, settings);
    // A poller is seen when it has polled.
    while (Object.hasOwn(await notWell(), 'workers')) await new Promise((resolve) => setTimeout(resolve, 200));
    const { disk, ...found } = await notWell();
    deepEqual(found, {}, disk ?? '');
    const { code, out } = await run();
    equal(code, 0, out);
    const { BASE_URL } = api.env;
    api.env.BASE_URL = 'https://campaign.example.org/x';
    match(
      (await notWell())['workers'] ?? '',
      /, with another BASE_URL than the API \(https:\/\/campaign\.example\.org\/x\): links in mails lead elsewhere; the same/,
    );
    equal((await notWell({ SECRET_KEY: 'that of the command alone' }))['workers'], undefined);
    api.env.BASE_URL = BASE_URL;
    await place.client.schedule.getHandle('sweep').pause('a test');
    // The list of schedules is a moment behind.
    let schedules: string | undefined;
    while (!schedules) ({ schedules } = await notWell());
    match(schedules, /paused: sweep/);
    await worker.stop();
  });

  it('says what is to be done where npm start runs all parts: the programs of each know no database of its own', async () => {
    const { address, namespace } = await createNamespace();
    const { port } = new URL(`http://${address}`);
    const own = dataFolder();
    for (const [folder, file, text] of [
      ['postgres', 'password', 'x'],
      ['postgres', 'port', '1'],
      ['temporal', 'ports', `${port} 2`],
    ] as const) {
      mkdirSync(join(own, folder), { recursive: true });
      writeFileSync(join(own, folder, file), text);
    }
    const {
      workers,
      schedules,
      api: noApi,
    } = await notWell({
      DATA_DIR: own,
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      TEMPORAL_NAMESPACE: namespace,
      API_URL: 'http://127.0.0.1:1',
    });
    match(schedules ?? '', /^there is no sweep.*; a restart of npm start$/);
    match(workers ?? '', /^nobody takes .*; npm start$/);
    match(noApi ?? '', /; npm start, or look at API_URL/);
  });

  it('says which task queue somebody gave a limit in Temporal, and how that is undone: its workers poll as ever', async () => {
    const { namespace, client } = await createNamespace();
    const limit = (taskQueue: string, requestsPerSecond: number | null) =>
      client.workflowService.updateTaskQueueConfig({
        namespace,
        taskQueue,
        taskQueueType: 2,
        updateQueueRateLimit: { rateLimit: requestsPerSecond === null ? null : { requestsPerSecond }, reason: 'a test' },
      });
    const found = async () =>
      (await findings({ TEMPORAL_NAMESPACE: namespace }))
        .filter(({ part }) => part === 'queues')
        .map(({ state, says, todo }) => `${state}: ${says}; ${todo}`);
    await limit('campaign', 0);
    await limit('sending', 0.5);
    const undo = (queue: string) =>
      `temporal task-queue config set --task-queue ${queue} --task-queue-type activity --queue-rps-limit default`;
    deepEqual(await found(), [
      `wrong: Temporal was told to give out nothing of task queue campaign; ${undo('campaign')}`,
      `look: Temporal was told to give out 0.5 tasks a second of task queue sending at most; where that was not meant: ${undo('sending')}`,
    ]);
    await limit('campaign', null);
    await limit('sending', null);
    deepEqual(await found(), []);
    // No task of ours has a key of fairness: they share one, and its limit.
    const limitOfKeys = (rateLimit: { requestsPerSecond: number } | null) =>
      client.workflowService.updateTaskQueueConfig({
        namespace,
        taskQueue: 'crm',
        taskQueueType: 2,
        updateFairnessKeyRateLimitDefault: { rateLimit, reason: 'a test' },
      });
    await limitOfKeys({ requestsPerSecond: 0.1 });
    const undoOfKeys =
      'temporal task-queue config set --task-queue crm --task-queue-type activity --fairness-key-rps-limit-default default';
    deepEqual(await found(), [
      `look: Temporal was told to give out 0.1 tasks a second of task queue crm at most; where that was not meant: ${undoOfKeys}`,
    ]);
    await limitOfKeys(null);
    deepEqual(await found(), []);
  });

  it('says that the schedules of the namespace are those of another platform, as the migration of each does', async () => {
    const { namespace, client } = await createNamespace();
    const [ours, other] = [await identityOf(api.pool), '7000000000000000000/16384'];
    const found = async () => (await notWell({ TEMPORAL_NAMESPACE: namespace }))['schedules'];
    equal(await ensureSchedules(client, readEnv(settings), ours), false);
    while (/there is no sweep/.test((await found()) ?? '')) await sleep(100);
    equal(await found(), undefined);
    equal(await ensureSchedules(client, readEnv(settings), other), true);
    match((await found()) ?? '', /made for another database; .*TEMPORAL_NAMESPACE of its own/);
    equal(await ensureSchedules(client, readEnv(settings), ours), true);
    equal(await ensureSchedules(client, readEnv(settings), ours), false);
    equal(await found(), undefined);
  });

  it('says that the clock of Temporal is another, and sees workers by that clock', async () => {
    const theirs = await createNamespace();
    const { namespace } = theirs;
    await ensureSchedules(theirs.client, readEnv(settings));
    const worker = await runWorker(theirs, { ...settings, TEMPORAL_NAMESPACE: namespace });
    while (Object.hasOwn(await notWell({ TEMPORAL_NAMESPACE: namespace }), 'workers')) await sleep(200);
    equal((await notWell({ TEMPORAL_NAMESPACE: namespace }))['clock'], undefined);
    const { now } = Date;
    Date.now = () => now() + 10 * 60_000;
    try {
      let all: Finding[];
      // Again where the machine had much else to do.
      do all = await findings({ TEMPORAL_NAMESPACE: namespace });
      while (all.some(({ says }) => says.includes('did not answer in time')));
      deepEqual(
        all.filter(({ part }) => part === 'workers' || part === 'schedules').map(({ state }) => state),
        ['look', 'well'],
      );
      const said = all
        .filter(({ part }) => part === 'clock')
        .map(({ says }) => says)
        .join();
      match(said, /Temporal's is at least 5\d\d s behind ours, or its schedules stand still; recurring mailings go out by it/);
    } finally {
      Date.now = now;
    }
    await worker.stop();
  });

  it('says of a clock of Temporal that is ahead that it may have been set right, and what has schedules go on then', () => {
    const [{ says, todo }] = lookAtItsClock(600_000) as [Finding];
    match(says, /at least 600 s ahead of ours, or it was, and its schedules stand still until then;/);
    match(todo, /restart Temporal, and then npm run migrate/);
  });

  it('takes no Temporal that answers slowly for one whose clock is behind', async () => {
    const theirs = await createNamespace();
    const { namespace } = theirs;
    await ensureSchedules(theirs.client, readEnv(settings));
    const worker = await runWorker(theirs, { ...settings, TEMPORAL_NAMESPACE: namespace });
    while (Object.hasOwn(await notWell({ TEMPORAL_NAMESPACE: namespace }), 'workers')) await sleep(200);
    const slow = await startProxy(theirs.address, 350);
    try {
      const all = await findings({ TEMPORAL_NAMESPACE: namespace, TEMPORAL_ADDRESS: slow.address });
      deepEqual(
        all
          .filter(({ part, says }) => part === 'workers' || / clock/.test(says) || says.startsWith("Temporal's"))
          .map(({ state }) => state),
        ['well'],
      );
    } finally {
      slow.close();
    }
    await worker.stop();
  });

  it('names settings that some workers have otherwise than others', async () => {
    const theirs = await createNamespace();
    const ofWorker = { ...settings, TEMPORAL_NAMESPACE: theirs.namespace, SENDING_HOURS: '00:00-23:59' };
    const workers = async () => (await notWell({ TEMPORAL_NAMESPACE: theirs.namespace }))['workers'] ?? 'well';
    const first = await runWorker(theirs, { ...ofWorker, SEND_ONLY_TO: 'test.example' });
    while ((await workers()) !== 'well') await sleep(200);
    // One process holds one of a namespace; that the other asked is remembered.
    await first.stop();
    const second = await runWorker(theirs, ofWorker);
    while ((await workers()) === 'well') await sleep(200);
    match(await workers(), /not all with the same SEND_ONLY_TO; the same for each/);
    await second.stop();
  });

  it('says that the workers there are cannot do their work', async () => {
    const theirs = await createNamespace();
    const { namespace, client } = theirs;
    await ensureSchedules(client, readEnv(settings));
    const nowhere = 'postgresql://nobody:x@127.0.0.1:1/nothing';
    const worker = await runWorker(theirs, { ...settings, TEMPORAL_NAMESPACE: namespace, DATABASE_URL: nowhere });
    const schedule = client.schedule.getHandle('sweep');
    const found = async () => (await notWell({ TEMPORAL_NAMESPACE: namespace }))['schedules'];
    for (const state of ['look', 'wrong']) {
      await schedule.trigger();
      const all = () => findings({ TEMPORAL_NAMESPACE: namespace });
      while (!(await all()).some((each) => each.part === 'schedules' && each.state === state)) await sleep(200);
    }
    match((await found())!, /the sweep, .*, failed: connect ECONNREFUSED 127\.0\.0\.1:1; .*DATABASE_URL/);
    await worker.stop();
  });

  it('names the run that cannot take its next step, and the one somebody has paused', async () => {
    // Its short activities are tried again and again.
    const worker = await runWorker(place, { ...settings, DATABASE_URL: 'postgresql://nobody:x@127.0.0.1:1/nothing' });
    const start = (mailingId: number, type = 'sendMailing') =>
      place.client.workflow.start(type, { ...startOptions(startOf('sendMailing', { mailingId })), args: [{ mailingId }] });
    // Of a type that no worker has it fails at its first step.
    const stuck = await start(7, 'sendMailingOfAnotherRelease');
    let runs: string | undefined;
    while (!runs?.startsWith('mailing-7')) ({ runs } = await notWell());
    match(runs, /^mailing-7-send cannot take its next step, tried \d+ times; see why in the Temporal UI/);
    await stuck.terminate();
    const waiting = await start(8);
    const execution = { workflowId: waiting.workflowId };
    while (!(await waiting.describe()).raw.pendingActivities?.length) await sleep(100);
    await place.client.workflowService.pauseActivity({ namespace: place.namespace, execution, type: 'openSend' });
    do ({ runs } = await notWell());
    while (!runs?.startsWith('mailing-8'));
    match(runs, /^mailing-8-send has an activity that was paused in Temporal; unpause it there; to hold a send, stop it/);
    await waiting.terminate();
    await worker.stop();
  });

  it('says which search attributes the namespace lacks: no run can be started', async () => {
    const connection = await Connection.connect({ address: place.address });
    const { namespace } = await createNamespace();
    await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: ['UserId'] });
    let temporal: string | undefined;
    while (!temporal?.includes('lacks')) ({ temporal } = await notWell({ TEMPORAL_NAMESPACE: namespace }));
    match(temporal, /lacks the search attributes UserId \(INT\); npm run migrate/);
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { UserId: 2 } });
    do ({ temporal } = await notWell({ TEMPORAL_NAMESPACE: namespace }));
    while (!temporal || /lacks/.test(temporal));
    match(temporal, /UserId is KEYWORD and has to be INT; give the platform a namespace of its own/);
    await connection.close();
  });

  it('says that no report can log in since SECRET_KEY was changed, and how they can again', async () => {
    const { reports, ...others } = await notWell({ SECRET_KEY: 'another one' });
    match(reports!, /^no report can be run: password authentication failed.*; npm run migrate, with the SECRET_KEY of API and workers/);
    equal(others['database'], undefined);
    equal((await notWell())['reports'], undefined);
  });

  it('counts connections of other logins, and knows the limits of login and database', async () => {
    const [{ name }] = (await api.pool.query('select current_database() as name')).rows;
    const connections = async () => (await findings()).find(({ part }) => part === 'connections')!.says;
    const used = async () => Number((await connections()).split(' ')[0]);
    const before = await used();
    const others = Array.from({ length: 20 }, () => newConnection(Object.assign(new URL(api.databaseUrl), { username: 'postgres' }).href));
    await Promise.all(others.map((each) => each.connect()));
    const now = await used();
    await Promise.all(others.map((each) => each.end()));
    ok(now >= before + 15, `${before} before, and ${now} with twenty more`);
    await api.pool.query(`alter database ${name} connection limit 12`);
    match((await notWell())['connections']!, /^\d+ of 12, which is the limit of the database in use; .*more of them/);
    await api.pool.query(`alter database ${name} connection limit -1`);
    equal((await notWell())['connections'], undefined);
  });

  it('says that nobody goes on with a mailing whose worker was killed, which Temporal shows for longer', async () => {
    const { rows } = await api.pool.query(
      `with m as (insert into core_mailing (html, status) values ('<p>Hi</p>', 'sending') returning id), r as (insert into send_run (mailing_id, content) select id, '{}' from m returning mailing_id)
       select mailing_id as id from r`,
    );
    const { id } = rows[0];
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, held_until) values ($1, 0, 1, 5, 0, null), ($1, 1, 6, 9, 5, now() - interval '1 s')`,
      [id],
    );
    match((await notWell())['sends'] ?? '', new RegExp(`^who was sending mailing ${id} is not heard of any more.*; .*npm run worker$`));
    await api.pool.query(`update send_shard set held_until = now() + interval '1 minute' where shard = 0`);
    equal((await notWell())['sends'], undefined);
    await api.pool.query('delete from core_mailing where id = $1', [id]);
  });

  it('says that nobody is found by a part of a name without reading everybody', async () => {
    await api.pool.query('drop index core_user_parts_index');
    match((await notWell())['database']!, /no index for parts of names.*; docs\/scaling\.md/);
  });

  it('names the setting that leads to what is away, and never a password', async () => {
    const away = {
      DATABASE_URL: 'postgresql://someone:secret@127.0.0.1:1/nothing',
      TEMPORAL_ADDRESS: '127.0.0.1:2',
      SMTP_URL: 'smtp://someone:secret@127.0.0.1:3',
      API_URL: 'http://127.0.0.1:4',
    };
    const found = await notWell(away);
    for (const [part, address, setting] of [
      ['database', '127.0.0.1:1', 'DATABASE_URL'],
      ['temporal', '127.0.0.1:2', 'TEMPORAL_ADDRESS'],
      ['relay', '127.0.0.1:3', 'SMTP_URL'],
      ['api', '127.0.0.1:4', 'API_URL'],
    ] as const)
      ok(found[part]?.includes(address) && found[part].includes(setting), `${part}: ${found[part]}`);
    ok(!JSON.stringify(found).includes('secret'));
  });

  it('does not take another server for the API, whatever it answers', async () => {
    let answer: readonly [number, string] = [200, ''];
    const other = createServer((_request, response) => response.writeHead(answer[0]).end(answer[1])).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const API_URL = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    for (answer of [
      [200, '<h1>Welcome</h1>'],
      [200, '{"status": "ok"}'],
      [200, 'null'],
      [502, 'Bad gateway'],
    ] as const)
      match(
        (await notWell({ API_URL }))['api']!,
        new RegExp(`something else than the API answers at ${API_URL}, with ${answer[0]}; look at API_URL`),
      );
    answer = [503, '{"status": "unavailable", "database": "ok", "workflows": "away"}'];
    match((await notWell({ API_URL }))['api']!, /is not ready: unavailable, database ok, workflows away/);
    answer = [503, '{"status": "ending"}'];
    match((await notWell({ API_URL }))['api']!, /is not ready: ending/);
    other.close();
  });

  it('says what is not set where npm start has made nothing', async () => {
    const found = await notWell({ DATABASE_URL: '', TEMPORAL_ADDRESS: '', SMTP_URL: '', API_URL: 'http://127.0.0.1:4' });
    for (const [part, setting] of [
      ['database', 'DATABASE_URL'],
      ['temporal', 'TEMPORAL_ADDRESS'],
      ['relay', 'SMTP_URL'],
    ] as const)
      match(found[part]!, new RegExp(`${setting} is not set.*npm start`));
    const wrong = await notWell({ SMTP_RELAYS: 'smtp://a.example?weight=none' });
    match(wrong['relay']!, /weight of a.example:25 must be a number.*SMTP_RELAYS/);
  });
});
