import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { type Env, needed, SettingError } from '../config/env.ts';
import { followCertificates } from '../config/follow-certificates.ts';
import { converting } from '../config/payload-codec.ts';
import { RenewableConnection } from '../config/renewable-connection.ts';
import { type TemporalConnection, temporalConnection } from '../config/temporal.ts';
import { isTemporalAway, whyAway } from '../config/temporal-away.ts';
import { startTracing } from '../config/tracing.ts';
import { workerIdentity } from '../config/worker-identity.ts';
import { recordReturnedMail } from '../core/people/leaving.ts';
import { openRelay } from '../core/sending/relay-chain.ts';
import type { Pool } from '../db/driver.ts';
import { createPool } from '../db/pool.ts';
import { inOneTransaction } from '../db/transaction.ts';
import type { BounceListener } from '../mail/bounce-listener.ts';
import { TASK_QUEUE } from '../workflows/contracts.ts';
import { POLLS, STICKY_SECONDS } from '../workflows/silence.ts';
import { connectWhenThere } from './connect.ts';
import type { ActivityDeps } from './deps.ts';
import { createActivities } from './index.ts';
import { withLittleRoom } from './little-room.ts';
import { measureWorker } from './metrics.ts';
import { logNamingNobody } from './naming-nobody.ts';
import { SQL_PLACES } from './places.ts';
import { PROOF_PLACES } from './proofs/activities.ts';
import { WEBHOOK_PLACES } from './webhooks/places.ts';
import { openWorkerHealth, type WorkerHealth } from './worker-health.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface RunningWorker {
  /** Settles when the worker has ended; rejects with the reason when it ended by itself. */
  ended: Promise<void>;
  /** Null without BOUNCE_PORT. */
  bounces: BounceListener | null;
  /** Null without WORKER_HEALTH. */
  health: WorkerHealth | null;
  /** Ends in order: mails on the wire are finished and recorded, other activities get SHUTDOWN_GRACE_SECONDS. */
  stop(): Promise<void>;
}

/** What a test brings in place of what is made by default. Who brings a connection closes it. */
export interface WorkerParts extends Partial<Pick<ActivityDeps, 'relay' | 'clock' | 'temporal'>> {
  nativeConnection?: NativeConnection;
  workflowBundle?: WorkerOptions['workflowBundle'];
}

const CRM_SLOTS = 10;

/** The SDK's older options for this (maxConcurrentActivityTaskPolls and its like) have no effect in 1.24. */
const polls = (maximum: number) => ({ type: 'simple-maximum', maximum }) as const;

/**
 * Everything one worker process does: workflows and short activities, send slices, long statements, each on a task queue of its own so that none
 * waits for another. All over one connection to Temporal.
 * It waits for a Temporal that is away, or has no namespace for it yet, also where it goes away while this is starting.
 * @throws SettingError when DATABASE_URL, TEMPORAL_ADDRESS or SMTP_URL is missing, or what Temporal refuses it with
 */
export async function startWorker(env: Env, fullLog: ActivityDeps['log'], parts: WorkerParts = {}): Promise<RunningWorker> {
  const log = logNamingNobody(fullLog);
  for (;;) {
    try {
      return await start(env, log, parts);
    } catch (error) {
      if (parts.nativeConnection || !isTemporalAway(error)) throw error;
      log.warn({}, `${whyAway(error, env)}; it went away while this process was starting, which begins anew`);
    }
  }
}

async function start(env: Env, log: ActivityDeps['log'], parts: WorkerParts): Promise<RunningWorker> {
  const { DATABASE_URL } = needed(env, 'DATABASE_URL', 'TEMPORAL_ADDRESS');
  const place = temporalConnection(env);
  const converter = converting(env);
  const namespace = env.TEMPORAL_NAMESPACE;
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const tracing = await startTracing(env, 'worker');
    closing.push(() => tracing?.stop());
    const plugins = tracing ? [tracing.plugin] : [];
    const clientConnection = parts.temporal ? undefined : new RenewableConnection(place);
    closing.push(() => clientConnection?.close());
    const onLost = (error: Error) => log.warn({ error: error.message }, 'an idle database connection was lost');
    const pool = createPool(DATABASE_URL, env.DATABASE_POOL, { onLost, commitWithinMs: env.COMMIT_SECONDS * 1000 });
    closing.push(() => pool.end());
    // No limit to its commits: cancelled, one would stand on the primary alone, and the row it holds would be free for another worker.
    const sendPool = createPool(DATABASE_URL, 2 * env.SEND_SLOTS, { onLost, answerWithinMs: env.SEND_LEASE_SECONDS * 1000 });
    closing.push(() => sendPool.end());
    const shuttingDown = new AbortController();
    const temporal = parts.temporal ?? new Client({ connection: clientConnection!, namespace, plugins, ...converter });
    const health = env.WORKER_HEALTH ? await openWorkerHealth(env.WORKER_HEALTH, { pool, temporal, ending: shuttingDown.signal }) : null;
    closing.push(() => health?.close());
    let connection = parts.nativeConnection ?? (await connectWhenThere(env, log));
    // Workers that were made and never ran keep hold of it.
    if (!parts.nativeConnection) closing.push(() => connection.close().catch(() => {}));
    const relay = openRelay({ env, pool: sendPool, log }, parts.relay);
    closing.push(() => relay.close());
    const clock = parts.clock ? { clock: parts.clock } : {};
    const metrics = measureWorker(Runtime.instance().metricMeter, { pool, env, ...clock });
    closing.push(() => metrics.stop());
    const bounces = env.BOUNCE_PORT === undefined ? null : await openBounceListener(env, env.BOUNCE_PORT, pool, log);
    closing.push(() => bounces?.close());
    const activities = createActivities({
      env,
      pool,
      sendPool,
      temporal,
      relay,
      metrics,
      shuttingDown: shuttingDown.signal,
      log,
      ...clock,
    });

    const shared: Omit<WorkerOptions, 'taskQueue'> = {
      ...converter,
      ...ofBuild(env),
      identity: workerIdentity(env),
      connection,
      namespace,
      plugins,
      activities,
      shutdownGraceTime: env.SHUTDOWN_GRACE_SECONDS * 1000,
      // A slice that was called off hears of it with its next heartbeat: that must not be held back.
      maxHeartbeatThrottleInterval: '1 second',
      defaultHeartbeatThrottleInterval: '1 second',
    };
    const queue = (taskQueue: string, slots: number, more: Partial<WorkerOptions> = {}) =>
      Worker.create({ ...shared, taskQueue, maxConcurrentActivityTaskExecutions: slots, ...more });
    const bundle = parts.workflowBundle ?? (await workflowBundle(plugins, 'dataConverter' in converter));
    const workers = await Promise.all([
      withLittleRoom(() =>
        queue(TASK_QUEUE.campaign, env.CAMPAIGN_SLOTS, {
          workflowBundle: bundle,
          stickyQueueScheduleToStartTimeout: STICKY_SECONDS * 1000,
          workflowTaskPollerBehavior: polls(POLLS.workflowTasks),
          nonStickyToStickyPollRatio: POLLS.ofAnyRun / POLLS.workflowTasks,
          activityTaskPollerBehavior: polls(POLLS.shortActivities),
        }),
      ),
      queue(TASK_QUEUE.proofs, PROOF_PLACES, { activityTaskPollerBehavior: polls(POLLS.proofs) }),
      queue(TASK_QUEUE.sending, env.SEND_SLOTS, { activityTaskPollerBehavior: polls(POLLS.slices) }),
      queue(TASK_QUEUE.sql, SQL_PLACES),
      queue(TASK_QUEUE.crm, CRM_SLOTS),
      queue(TASK_QUEUE.webhooks, WEBHOOK_PLACES, { activityTaskPollerBehavior: polls(POLLS.webhooks) }),
    ]);
    const renew = async (renewed: TemporalConnection) => {
      clientConnection?.renew(renewed);
      const old = connection;
      connection = await NativeConnection.connect(renewed);
      for (const worker of workers) worker.connection = connection;
      await old.close();
    };
    const certificates = parts.nativeConnection ? null : followCertificates(env, log, renew);
    closing.push(() => certificates?.stop());
    const shutDown = () => {
      shuttingDown.abort();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    // One that fails takes the others with it, in order: whoever supervises the process starts it anew.
    const running = workers.map((worker) => worker.run().finally(shutDown));
    const ended = Promise.allSettled(running).then(async (ends) => {
      await close();
      const failure = ends.find((end) => end.status === 'rejected');
      if (failure) throw failure.reason;
    });
    ended.catch(() => {});
    return {
      ended,
      bounces,
      health,
      async stop() {
        shutDown();
        await ended;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Every run goes on with the build that is current, whichever began it: a build that is taken away leaves none behind, and what differs from build to build stands behind
 * `patched`.
 */
const ofBuild = ({ WORKER_BUILD_ID: buildId, WORKER_DEPLOYMENT: deploymentName }: Env): Pick<WorkerOptions, 'workerDeploymentOptions'> =>
  buildId === undefined
    ? {}
    : {
        workerDeploymentOptions: {
          version: { deploymentName, buildId },
          useWorkerVersioning: true,
          defaultVersioningBehavior: 'AUTO_UPGRADE',
        },
      };

/** What comes back by mail is recorded as what comes to `POST /rest/v1/bounce/`. */
async function openBounceListener(env: Env, port: number, pool: Pool, log: ActivityDeps['log']): Promise<BounceListener> {
  const limits = { limit: env.SOFT_BOUNCE_LIMIT, days: env.SOFT_BOUNCE_DAYS };
  // Most workers take no bounces, and need no reader of mails.
  const { startBounceListener } = await import('../mail/bounce-listener.ts');
  const listener = await startBounceListener({
    port,
    host: env.BOUNCE_HOST,
    domain: env.MAIL_DOMAIN,
    secretKey: env.SECRET_KEY,
    complaintAddress: env.COMPLAINT_ADDRESS ?? `abuse@${env.MAIL_DOMAIN}`,
    connections: env.BOUNCE_CONNECTIONS,
    take: (report) => inOneTransaction(pool, (sql) => recordReturnedMail(sql, report, limits)),
    onError: (error) => log.warn({ error: error.name }, 'a report that came by mail was not recorded'),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new SettingError(`BOUNCE_PORT: ${error.message}`, { cause: error });
  });
  log.info({ port: listener.port }, 'takes bounces and complaints');
  return listener;
}
