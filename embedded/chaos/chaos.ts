import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../entities/pool.ts';
import { startPlatform } from '../platform.ts';
import { startPostgres } from '../postgres.ts';
import { startSmtpSink } from '../smtp-sink.ts';
import { Supervisor } from '../supervisor.ts';
import { startTemporal } from '../temporal.ts';
import { checkRound, type RelayRecord, type Verdict } from './check.ts';
import { FAULTS, type Victims } from './faults.ts';
import { startProxy } from './proxy.ts';

export interface ChaosOptions {
  recipients?: number;
  /** Mails per second, so that there is a middle to strike in. */
  rate?: number;
  connections?: number;
}

export type ChaosStage = Awaited<ReturnType<typeof openStage>>;

/**
 * A whole platform to be tormented: two workers, every way between the parts through a proxy, a relay in this process that keeps its own record.
 * Everything lives in a folder of its own and ends with `close`.
 */
export async function openStage({ recipients = 3000, rate = 600, connections = 8 }: ChaosOptions = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-chaos-'));
  const servers = new Supervisor();
  const postgres = await servers.add('postgres', () => startPostgres({ dataDir }));
  const temporal = await servers.add('temporal', () => startTemporal({ dataDir, namespace: 'default' }));
  const records = new Map<number, RelayRecord>();
  const sink = await startSmtpSink({
    keep: 0,
    onMail({ from }) {
      const [, mailing, user] = (/^bounce\+(\d+)\.(\d+)\./.exec(from) ?? []).map(Number) as [number, number, number];
      const record = records.get(mailing) ?? new Map<number, number>();
      records.set(mailing, record.set(user, (record.get(user) ?? 0) + 1));
    },
  });
  const database = await startProxy(new URL(postgres.url).host);
  const service = await startProxy(temporal.address);
  const settings = {
    DATA_DIR: join(dataDir, 'platform'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATABASE_URL: Object.assign(new URL(postgres.url), { port: String(database.port) }).href,
    TEMPORAL_ADDRESS: `127.0.0.1:${service.port}`,
    SMTP_URL: sink.url,
    SMTP_CONNECTIONS: String(connections),
    SMTP_TIMEOUT_MS: '3000',
    SEND_LEASE_SECONDS: '4',
    SEND_RETRY_SECONDS: '1',
    SEND_SHARD_SIZE: '500',
    WORKER_PROCESSES: '2',
  };
  const platform = await startPlatform(readEnv({ ...process.env, ...settings }));
  const pool = createPool(postgres.url, 3);
  await pool.query(`insert into core_list (name) values ('Everyone')`);
  await pool.query(
    `insert into core_user (email, subscription_status) select 'person.' || n || '@example.org', 'subscribed' from generate_series(1, $1) n`,
    [recipients],
  );
  await pool.query('insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l');

  const victims: Victims = {
    database,
    temporal: service,
    sink,
    signal(part, signal) {
      const pid = servers.pid(part) ?? platform.supervisor.pid(part);
      if (pid) process.kill(pid, signal);
    },
  };

  return {
    /**
     * One send with one fault at a random moment of it.
     * @param chance from 0 to 1, where in the send the fault strikes
     * @throws Error when the mailing does not come to its end within two minutes
     */
    async round(fault: string, chance: number): Promise<Verdict & { seconds: number }> {
      const { strike, windows, refused } = FAULTS[fault] ?? raise(`there is no fault ${fault}`);
      const mailingId = await newMailing(pool, recipients, rate);
      const began = performance.now();
      await whenAnswering(() => post(platform.baseUrl, `/rest/v1/mailer/${mailingId}/queue/`));
      await until(async () => (records.get(mailingId)?.size ?? 0) > 0);
      await sleep(chance * 0.8 * (recipients / rate) * 1000);
      await strike(victims);
      const status = await ended(pool, mailingId);
      const verdict = await checkRound(pool, mailingId, records.get(mailingId) ?? new Map(), {
        uncertain: windows * 2 * connections,
        refused,
      });
      if (status !== 'completed') verdict.wrongs.push(`the mailing is ${status}`);
      return { ...verdict, seconds: (performance.now() - began) / 1000 };
    },
    async close(): Promise<void> {
      await pool.end();
      await platform.stop();
      database.close();
      service.close();
      await servers.stop();
      await sink.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const raise = (message: string): never => {
  throw new Error(message);
};

/** A mailing whose saved set is everybody: what a rebuild would have left. */
async function newMailing(pool: pg.Pool, recipients: number, rate: number): Promise<number> {
  const { rows } = await pool.query(
    `insert into core_mailing (html, custom_fromline, mails_per_second, query_status, targeting_version, targeting_version_saved, saved_count)
      values ('<p>Hello</p>', '"Chaos" <chaos@example.org>', $2, 'saved', 1, 1, $1) returning id`,
    [recipients, rate],
  );
  const id: number = rows[0].id;
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'Hello')`, [id]);
  await pool.query(
    'insert into send_ledger (mailing_id, position, user_id) select $1, row_number() over (order by id), id from core_user',
    [id],
  );
  return id;
}

async function post(baseUrl: string, path: string): Promise<void> {
  const authorization = `Basic ${Buffer.from('admin:admin-password').toString('base64')}`;
  const answer = await fetch(baseUrl + path, { method: 'POST', headers: { authorization } });
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
}

/** The API may still be coming back from the round before. */
async function whenAnswering(ask: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 60) throw error;
      await sleep(500);
    }
  }
}

async function until(what: () => Promise<boolean>, seconds = 120): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) if (await what()) return;
  throw new Error(`it did not come about within ${seconds} s`);
}

async function ended(pool: pg.Pool, mailingId: number): Promise<string> {
  let status = '';
  await until(async () => {
    try {
      status = (await pool.query('select status from core_mailing where id = $1', [mailingId])).rows[0].status;
    } catch {
      // The server is the victim just now.
    }
    return ['completed', 'died', 'stopped', 'draft'].includes(status);
  }, 180);
  return status;
}
