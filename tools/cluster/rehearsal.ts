import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '../../db/pool.ts';
import { rolePassword } from '../../db/report-login.ts';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { ReplicatedPostgres } from '../../embedded/replicated-postgres.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../demo/client.ts';
import { crowdAddresses, loadCrowd } from '../demo/crowd.ts';
import { type Progress, readUncertain } from '../demo/main-job.ts';
import { Receipts } from '../demo/receipts.ts';
import { judge, type Verdict } from '../demo/verdict.ts';
import { Authority } from './authority.ts';
import { startBalancer } from './balancer.ts';
import { startFrontDoor } from './front-door.ts';
import { Onlooker } from './onlooker.ts';
import { startPooler, whyNoPooler } from './pooler.ts';
import { strikesAt } from './strikes.ts';
import { startTemporalCluster } from './temporal-cluster.ts';
import { Visitor } from './visitor.ts';
import { Writer } from './writer.ts';

const SECRET_KEY = 'a-key-of-the-rehearsal';
const WORKERS = 3;
const CONNECTIONS = 16;

export interface RehearsalOptions {
  recipients: number;
  /** Mails per second. */
  rate: number;
  /** Which other users may pass through. */
  folder: string;
  say: (what: string) => void;
}

export interface Rehearsal extends Verdict {
  recipients: number;
  accepted: number;
  failed: number;
  uncertain: number;
  /** From the first mail to the last. */
  seconds: number;
  /** What was struck, in order, and how many had been mailed by then. */
  struck: string[];
  /** What some met who asked the API all the while. */
  visitor: Visitor['met'];
  /** What somebody was answered who had the API make something all the while. */
  writer: Writer['met'];
  /** How many connections were seen to each server of PostgreSQL and to pgbouncer, over the network. */
  connections: Record<string, Onlooker['seen']>;
}

/**
 * The main job on everything a cluster is made of, each part struck in the middle of it: two Temporal nodes, a primary with a synchronous standby, pgbouncer where it is
 * installed, two APIs behind haproxy where it is installed, three workers. Nothing but HTTP and the mail itself goes in clear.
 */
export async function rehearse({ recipients, rate, folder, say }: RehearsalOptions): Promise<Rehearsal> {
  const closing: (() => unknown)[] = [];
  try {
    const receipts = new Receipts([]);
    const sink = await startSmtpSink({ keep: 0, onMail: ({ to }) => receipts.add(to[0]!) });
    closing.push(() => sink.close());
    say('starting a primary and its synchronous standby');
    const authority = new Authority(folder);
    const postgres = await ReplicatedPostgres.start(join(folder, 'postgres'), authority.identify('postgres'));
    closing.push(() => postgres.stop());
    const temporal = await startTemporalCluster(folder, 2, authority, say);
    closing.push(() => temporal.stop());
    const temporalDoor = await startBalancer(() => temporal.addresses);
    closing.push(() => temporalDoor.close());
    const superuserUrl = () => Object.assign(new URL(postgres.url), { username: 'postgres', pathname: '/postgres' }).href;
    const onlookers: Record<string, Onlooker> = {
      postgres: Onlooker.atPostgres(superuserUrl),
      'temporal-store': Onlooker.atPostgres(() => temporal.storeUrl),
    };
    closing.push(() => Promise.all(Object.values(onlookers).map((each) => each.leave())));
    const pooler = await poolerBefore(postgres.url, join(folder, 'pooler'), authority, say);
    if (pooler) {
      closing.push(() => pooler.stop());
      onlookers['pgbouncer'] = Onlooker.atPooler(pooler.url);
    }
    const databaseUrl = pooler?.url ?? postgres.url;
    const ports: [number, number] = [await freePort(), await freePort()];
    const door = await startFrontDoor(join(folder, 'front-door'), ports, say);
    closing.push(() => door.stop());
    const env = {
      ...process.env,
      BASE_URL: `http://${door.address}`,
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporalDoor.address,
      ...temporal.settings,
      TEMPORAL_NAMESPACE: 'campaign',
      SMTP_URL: sink.url,
      SMTP_CONNECTIONS: String(CONNECTIONS),
      API_DRAIN_SECONDS: '10',
      REPORT_FILES: 'database',
      SECRET_KEY,
    };
    mkdirSync(env.DATA_DIR, { recursive: true });
    say('migrating, and starting two APIs and three workers');
    await runProgram('migrate', { logFolder: join(folder, 'migrate'), env });
    const startApi = (n: number) => {
      const program = { logFolder: join(folder, `api-${n}`), env: { ...env, PORT: String(ports[n]) } };
      return startApiProcess(program, `http://127.0.0.1:${ports[n]}`);
    };
    // The last worker has lines of its own to database and Temporal, which can be cut.
    const lines = await Promise.all([new URL(databaseUrl).host, temporalDoor.address].map((address) => startBalancer(() => [address])));
    closing.push(() => lines.map((line) => line.close()));
    const [toDatabase, toTemporal] = lines.map(({ address }) => address) as [string, string];
    const byLines = { DATABASE_URL: Object.assign(new URL(databaseUrl), { host: toDatabase }).href, TEMPORAL_ADDRESS: toTemporal };
    const startWorker = (n: number) =>
      startWorkerProcess({ logFolder: join(folder, 'workers'), env: n === WORKERS ? { ...env, ...byLines } : env }, n);
    const apis = await Promise.all(ports.map((_, n) => startApi(n)));
    const workers: Child[] = await Promise.all(Array.from({ length: WORKERS }, (_, n) => startWorker(n + 1)));
    closing.push(() => Promise.all([...apis, ...workers].map((part) => part.stop())));

    const client = new ApiClient(env.BASE_URL, 'admin', 'admin-password');
    // A proxy knows of an API that has come up only when it has asked it.
    await client.read('/health/ready');
    await client.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(postgres.url, recipients, 1, ['CA', 'NY'], () => {});
    const mailing = new URL(
      await client.write('POST', '/rest/v1/mailer/', {
        subjects: ['Hello'],
        html: '<p>Hello {{ user.first_name }}</p>',
        fromline: 'news@example.org',
        includes: { lists: ['Everybody'] },
        mails_per_second: rate,
      }),
    ).pathname;
    await client.poll(new URL(await client.write('POST', `${mailing}rebuild/`)).pathname, 200);

    const struck: string[] = [];
    const strikes = strikesAt({
      ...{ postgres, temporal, temporalDoor, lines, apis, workers, startApi, startWorker },
      backUp: () => runProgram('backup', { logFolder: join(folder, 'backup'), env, args: [join(folder, 'backup', 'whole')] }),
      places: ports.map((port) => `127.0.0.1:${port}`),
      readyUrl: new URL('/health/ready', env.BASE_URL),
    });
    // Each at its time, whether or not those before it at other parts have been got over.
    const busy = new Map<string, Promise<unknown>>();
    const striking: Promise<unknown>[] = [];
    for (const [share, part, what, strike] of strikes) {
      const begin = () => {
        struck.push(`${what}, at ${receipts.recipients}`);
        say(`${new Date().toISOString()} ${what}, at ${receipts.recipients} of ${recipients}`);
        return strike();
      };
      receipts.when(Math.max(1, Math.floor(share * recipients)), () => {
        const over = Promise.resolve(busy.get(part))
          .then(begin)
          .catch((error: Error) => `${what}: ${error.message}`);
        busy.set(part, over);
        striking.push(over);
      });
    }
    const visitor = new Visitor(new URL('/rest/v1/list/', env.BASE_URL));
    const writer = new Writer(env.BASE_URL);
    closing.push(() => Promise.all([visitor.leave(), writer.leave()]));
    await client.write('POST', `${mailing}queue/`);
    const told = await client.poll<Progress>(`${mailing}progress/`, 500);
    const notAsMeant = (await Promise.all(striking)).filter((words) => typeof words === 'string');
    await Promise.all([visitor.leave(), writer.leave()]);
    const pool = createPool(postgres.url, 1);
    const untrue = await writer.untrue(pool).finally(() => pool.end());

    const uncertainSeen = (await readUncertain(client, new URL(mailing, env.BASE_URL).href)).filter((address) =>
      receipts.has(address),
    ).length;
    const { status, progress: accepted, failed, skipped, uncertain, expected_send_count: targeted } = told;
    const seen = {
      recipients: receipts.recipients,
      duplicated: receipts.duplicated,
      strangers: receipts.strangers(new Set(crowdAddresses(recipients))).length,
      uncertainSeen,
    };
    const verdict = judge({ status, targeted, accepted, failed, skipped, uncertain }, seen, recipients);
    // Of the one that was killed, and of the one that was cut off for longer than its lease.
    const most = 2 * 2 * CONNECTIONS;
    if (uncertain > most) verdict.disagreements.push(`${uncertain} uncertain, at most ${most} may be`);
    const broken = visitor.met.broken + writer.met.broken;
    if (broken) verdict.disagreements.push(`${broken} requests to the API were broken off: ${visitor.broken.join(', ')}`);
    verdict.disagreements.push(...notAsMeant, ...untrue);
    const connections = Object.fromEntries(Object.entries(onlookers).map(([name, { seen }]) => [name, seen]));
    for (const [name, { encrypted, inClear }] of Object.entries(connections)) {
      if (inClear) verdict.disagreements.push(`${inClear} connections to ${name} were in clear`);
      if (!encrypted) verdict.disagreements.push(`nobody looked who was connected to ${name}`);
    }
    if (struck.length < strikes.length) verdict.disagreements.push('not everything was struck before the end');
    return {
      recipients,
      accepted,
      failed,
      uncertain,
      seconds: Math.round(receipts.seconds),
      struck,
      visitor: visitor.met,
      writer: writer.met,
      connections,
      ...verdict,
    };
  } finally {
    for (const end of closing.reverse()) await end();
  }
}

/** @returns null where none can be started */
async function poolerBefore(url: string, folder: string, authority: Authority, say: (what: string) => void) {
  const reason = whyNoPooler();
  if (reason !== null) {
    say(`${reason}: the database is asked without a pooler`);
    return null;
  }
  const logins = { campaign: new URL(url).password, campaign_report: rolePassword({ SECRET_KEY, STATEMENT_TIMEOUT_MS: 0 }) };
  return startPooler(folder, url, logins, { default_pool_size: '40' }, authority.identify('pgbouncer'));
}
