import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { newConnection } from '../../db/driver.ts';
import { freePort } from '../../embedded/ports.ts';
import { type Program, runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { basic } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

describe('watching the platform from outside', () => {
  const spans: Span[] = [];
  const received: string[] = [];
  let client: ApiClient;
  let baseUrl: string;
  let workerMetrics: string;
  let program: Program;

  before(async () => {
    const collector = createServer(async (request, response) => {
      // biome-ignore lint/suspicious/noExplicitAny: OTLP as JSON
      const body = (await json(request)) as any;
      received.push(JSON.stringify(body));
      for (const { scopeSpans } of body.resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    }).listen(0, '127.0.0.1');
    const { address, namespace } = await createNamespace();
    const sink = await startSmtpSink({});
    const port = await freePort();
    workerMetrics = `127.0.0.1:${await freePort()}`;
    baseUrl = `http://127.0.0.1:${port}`;
    program = {
      logFolder: dataFolder(),
      env: {
        ...process.env,
        PORT: String(port),
        BASE_URL: baseUrl,
        DATA_DIR: dataFolder(),
        DATABASE_URL: await createDatabase(),
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        SMTP_URL: sink.url,
        TRACES_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
        WORKER_METRICS: workerMetrics,
      },
    };
    await runProgram('migrate', program);
    const api = await startApiProcess(program, baseUrl);
    const worker = await startWorkerProcess(program, 1);
    atEnd(async () => {
      await Promise.all([api.stop(), worker.stop()]);
      await sink.close();
      collector.close();
    });
    client = new ApiClient(baseUrl, 'admin', 'admin-password');
    await client.write('POST', '/rest/v1/list/', { name: 'Watched' });
    await client.write('POST', '/rest/v1/signuppage/', { name: 'watched', list: '/rest/v1/list/1/' });
    await client.write('POST', '/rest/v1/action/', { page: 'watched', email: 'traced@example.org' });
    await client.write('POST', '/rest/v1/mailer/', {
      subjects: ['Hello'],
      html: '<p>Hello</p>',
      fromline: 'news@example.org',
      includes: { lists: ['Watched'] },
    });
    await client.write('POST', '/rest/v1/mailer/1/rebuild/');
    await until(async () => (await client.read<{ query_status: string }>('/rest/v1/mailer/1/')).query_status === 'saved');
    await client.write('POST', '/rest/v1/mailer/1/queue/');
    await until(async () => (await client.read<{ finished: boolean }>('/rest/v1/mailer/1/progress/')).finished);
  });

  const until = async (holds: () => Promise<boolean> | boolean) => {
    for (const giveUp = Date.now() + 200_000; !(await holds()); await sleep(100)) assert.ok(Date.now() < giveUp, 'it never came about');
  };

  it('follows one trace from a request over its workflow to the activity', async () => {
    const wanted = [
      'POST /rest/v1/mailer/:id/rebuild/',
      'StartWorkflow:rebuildTargets',
      'RunWorkflow:rebuildTargets',
      'RunActivity:buildTargets',
    ];
    const named = (name: string) => spans.find((span) => span.name === name);
    await until(() => wanted.every(named));
    const [request, start, workflow, activity] = wanted.map((name) => named(name)!);
    assert.equal(new Set([request!.traceId, start!.traceId, workflow!.traceId, activity!.traceId]).size, 1);
    assert.equal(start!.parentSpanId, request!.spanId);
    assert.equal(workflow!.parentSpanId, start!.spanId);
  });

  it('shows nobody in a trace', () => {
    assert.ok(received.length > 0);
    assert.doesNotMatch(received.join(), /traced@|example\.org|admin-password/);
  });

  it('gives the metrics of a worker, with those of the Temporal SDK', async () => {
    let text = '';
    await until(async () => {
      text = await (await fetch(`http://${workerMetrics}/metrics`)).text();
      return /campaign_process_resident_memory_bytes\S* \d/.test(text);
    });
    assert.match(text, /^campaign_mails_total\{[^}]*outcome="accepted"[^}]*\} 1$/m);
    assert.match(text, /^campaign_ledger_commit_seconds_count\S* [1-9]/m);
    assert.match(text, /^campaign_pool_connections\{[^}]*state="idle"[^}]*\} \d/m);
    assert.match(text, /^temporal_activity_execution_latency_seconds_count\{[^}]*activity_type="sendSlice"/m);
  });

  it('says of a worker whether it is to send now: who watches is not to be woken for a mailing that rests at night', async () => {
    const open = async (place: string) => {
      const text = await fetch(`http://${place}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      return /^campaign_sending_hours_open\S* (\d)/m.exec(text)?.[1];
    };
    await until(async () => (await open(workerMetrics)) === '1');
    const closed = `127.0.0.1:${await freePort()}`;
    const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000).toISOString().slice(11, 16);
    const SENDING_HOURS = `${hour(11)}-${hour(12)}`;
    const resting = await startWorkerProcess({ ...program, env: { ...program.env, WORKER_METRICS: closed, SENDING_HOURS } }, 1);
    try {
      await until(async () => (await open(closed)) === '0');
    } finally {
      await resting.stop();
    }
  });

  it('says of a single worker that it has lost its database', async () => {
    const place = `127.0.0.1:${await freePort()}`;
    const databaseUrl = await createDatabase();
    const up = async () => {
      const text = await fetch(`http://${place}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      return /^campaign_worker_database_up\S* (\d)/m.exec(text)?.[1];
    };
    const { namespace } = await createNamespace();
    const own = { WORKER_METRICS: place, DATABASE_URL: databaseUrl, TEMPORAL_NAMESPACE: namespace };
    const losing = await startWorkerProcess({ ...program, env: { ...program.env, ...own } }, 1);
    const other = newConnection(databaseUrl);
    await other.connect();
    try {
      await until(async () => (await up()) === '1');
      await other.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} connection limit 0`);
      await other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()',
      );
      await until(async () => (await up()) === '0');
    } finally {
      await losing.stop();
      await other.end();
    }
  });

  it('has what the dashboard and the alerts ask for', async () => {
    const api = await (
      await fetch(`${baseUrl}/metrics`, { headers: { authorization: basic({ username: 'admin', password: 'admin-password' }) } })
    ).text();
    const told = `${api}\n${await (await fetch(`http://${workerMetrics}/metrics`)).text()}\nup 1`;
    const read = (file: string) => readFileSync(join(import.meta.dirname, '../../monitoring', file), 'utf8');
    const alerts: string[] = parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: { expr: string }[] }) =>
      rules.map(({ expr }) => expr),
    );
    const panels: string[] = JSON.parse(read('grafana-dashboard.json')).panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    assert.ok(alerts.length > 10 && panels.length > 10);
    for (const expression of [...alerts, ...panels]) {
      parser.parse(expression).iterate({ enter: ({ type, from }) => assert.ok(!type.isError, `${expression}: not PromQL at ${from}`) });
      for (const [name] of expression.matchAll(/\b(?:campaign|temporal)_\w+/g))
        assert.match(told, new RegExp(`^(?:# TYPE )?${name}\\b`, 'm'), `nobody tells ${name}`);
      // To these a figure that falls is a counter that began anew: they tell of what has not happened.
      for (const [, name] of expression.matchAll(/\b(?:rate|irate|increase)\(((?:campaign|temporal)_\w+)/g))
        assert.doesNotMatch(told, new RegExp(`^# TYPE ${name} gauge`, 'm'), `${expression}: ${name} also falls`);
    }
  });
});
