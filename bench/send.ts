import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { readEnv } from '../config/env.ts';
import { startPlatform } from '../embedded/platform.ts';
import { createPool } from '../entities/pool.ts';
import { workflowId } from '../workflows/contracts.ts';
import { ApiClient } from './support/api-client.ts';
import { newsletter } from './support/newsletter.ts';
import { cpuSeconds, descendants, peakMemory } from './support/process-cost.ts';
import { startSinkProcess } from './support/sink-process.ts';

interface Round {
  perSecond: number;
  cpuPerMail: number;
}

/**
 * The whole product path (API, workflow, ledger, templates, SMTP) against a nodemailer pool that sends the same mails to the same sink, in turns: the
 * median of the rounds' ratios. Prints mails/s, processor time per mail over all our processes, the workers' peak memory and the workflow's events.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      recipients: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
      workers: { type: 'string', default: '1' },
      connections: { type: 'string', default: '32' },
    },
  });
  const [recipients, rounds, workers] = [values.recipients, values.rounds, values.workers].map(Number) as [number, number, number];
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const sink = await startSinkProcess();
  const settings = { DATA_DIR: dataDir, PORT: '0', SMTP_URL: sink.url, LOG_LEVEL: 'warn', WORKER_PROCESSES: values.workers };
  const platform = await startPlatform(readEnv({ ...process.env, ...settings, SMTP_CONNECTIONS: values.connections }), {
    say: console.log,
  });
  const pool = createPool(platform.databaseUrl, 2);
  const api = new ApiClient(platform.baseUrl);
  try {
    await people(pool, recipients);
    const { rows } = await pool.query('select id from core_list limit 1');
    const ours: Round[] = [];
    const theirs: Round[] = [];
    const walBytes: number[] = [];
    let events = 0;
    for (let round = 0; round < rounds; round++) {
      const mailing = await api.create('/rest/v1/mailer/', {
        subjects: newsletter.subjects,
        preview_text: newsletter.previewTexts,
        html: newsletter.html,
        custom_fromline: newsletter.from,
        includes: { lists: [rows[0].id] },
      });
      await api.done(await api.create(`${mailing}rebuild/`));
      const wal = await walPosition(pool);
      const pids = () => descendants([sink.pid]);
      ours.push(await measured(recipients, pids, () => send(api, mailing)));
      walBytes.push(((await walPosition(pool)) - wal) / recipients);
      events = await eventsOf(platform.temporalAddress, Number(mailing.split('/').at(-2)));
      theirs.push(await nodemailer(platform.databaseUrl, sink.url, values.connections));
      const ratio = (ours[round] as Round).perSecond / (theirs[round] as Round).perSecond;
      console.log(
        `round ${round + 1}: ${line('ours', ours[round] as Round)}; ${line('nodemailer', theirs[round] as Round)}; ratio ${ratio.toFixed(2)}`,
      );
    }
    const counts = await sink.counts();
    const expected = 2 * recipients * rounds;
    if (counts.received !== expected) throw new Error(`the sink received ${counts.received} mails of ${expected}`);
    const memory = Math.max(...Array.from({ length: workers }, (_, n) => peakMemory(platform.supervisor.pid(`worker-${n + 1}`) as number)));
    const figures = {
      ratio: round2(median(ours.map((each, n) => each.perSecond / (theirs[n] as Round).perSecond))),
      mailsPerSecond: Math.round(median(ours.map((each) => each.perSecond))),
      nodemailerMailsPerSecond: Math.round(median(theirs.map((each) => each.perSecond))),
      cpuMicrosecondsPerMail: round2(median(ours.map((each) => each.cpuPerMail))),
      nodemailerCpuMicrosecondsPerMail: round2(median(theirs.map((each) => each.cpuPerMail))),
      peakWorkerMegabytes: Math.round(memory / 2 ** 20),
      workflowEvents: events,
      ledgerBytesPerRecipient: Math.round((await ledgerSize(pool)) / (recipients * rounds)),
      walBytesPerRecipient: Math.round(median(walBytes)),
      recipients,
      rounds,
      workers,
    };
    console.log(figures);
    return figures;
  } finally {
    await pool.end();
    await platform.stop();
    sink.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Bytes of write-ahead log since the cluster was made. */
const walPosition = async (pool: pg.Pool) =>
  Number((await pool.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`)).rows[0].bytes);
/** Bytes of the ledger with its indexes. */
const ledgerSize = async (pool: pg.Pool) =>
  Number((await pool.query(`select pg_total_relation_size('send_ledger') as bytes`)).rows[0].bytes);

const round2 = (figure: number) => Math.round(figure * 100) / 100;
const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
const line = (who: string, { perSecond, cpuPerMail }: Round) =>
  `${who} ${Math.round(perSecond)}/s, ${cpuPerMail.toFixed(1)} µs of CPU per mail`;

async function people(pool: ReturnType<typeof createPool>, count: number): Promise<void> {
  await pool.query(`insert into core_list (name) values ('Everyone')`);
  await pool.query(
    `insert into core_user (email, first_name, city, state, subscription_status)
      select 'person.' || n || '@example.org', (array['Ada', 'Grace', 'Zoë', 'Pat', 'Linus'])[1 + n % 5], 'Springfield', 'MA', 'subscribed'
      from generate_series(1, $1) n`,
    [count],
  );
  await pool.query('insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l');
  await pool.query('vacuum analyze');
}

async function measured(mails: number, processes: () => number[], work: () => Promise<void>): Promise<Round> {
  const pids = processes();
  const [began, cpu] = [performance.now(), cpuSeconds(pids)];
  await work();
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: mails / seconds, cpuPerMail: ((cpuSeconds(pids) - cpu) * 1e6) / mails };
}

async function send(api: ApiClient, mailing: string): Promise<void> {
  await api.create(`${mailing}queue/`);
  for (;;) {
    const { status, error } = await api.get<{ status: string; error: string[] | null }>(`${mailing}status/`);
    if (status === 'completed') return;
    if (status === 'died' || status === 'stopped') throw new Error(`the mailing is ${status}: ${error}`);
    await sleep(50);
  }
}

async function eventsOf(address: string, mailingId: number): Promise<number> {
  const connection = await Connection.connect({ address });
  const { historyLength } = await new Client({ connection }).workflow.getHandle(workflowId.sendMailing(mailingId)).describe();
  await connection.close();
  return historyLength;
}

async function nodemailer(databaseUrl: string, relayUrl: string, connections: string): Promise<Round> {
  const script = new URL('./support/nodemailer-pool.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, databaseUrl, relayUrl, connections]);
  const { mails, seconds, cpuSeconds: cpu } = JSON.parse(stdout) as { mails: number; seconds: number; cpuSeconds: number };
  return { perSecond: mails / seconds, cpuPerMail: (cpu * 1e6) / mails };
}
