import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import type { RunningWorker } from '../../activities/worker.ts';
import { type Env, readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { StubCrm } from './crm-stub.ts';
import { createDatabase } from './database.ts';
import { ScriptedRelay } from './sending.ts';
import { createTimeSkipping } from './temporal.ts';
import { runWorker } from './worker.ts';

/**
 * The time of the server for activities: it stands still while one runs, so an activity has the time it was scheduled at, and what it slept
 * since. The stub stamps what it is asked with it.
 */
function activityClock(stub: StubCrm) {
  const slept = new Map<string, number>();
  let last = 0;
  const now = (): number => {
    const { base64TaskToken, currentAttemptScheduledTimestampMs } = Context.current().info;
    last = currentAttemptScheduledTimestampMs + (slept.get(base64TaskToken) ?? 0);
    return last;
  };
  stub.clock = () => last;
  return {
    now,
    async sleep(ms: number): Promise<void> {
      const { base64TaskToken, currentAttemptScheduledTimestampMs: base } = Context.current().info;
      slept.set(base64TaskToken, Math.max(slept.get(base64TaskToken) ?? 0, now() + ms - base));
      now();
    },
  };
}

/** Real workflows, activities, database and HTTP under a server whose time is skipped; only the CRM is a stub. */
export class CrmPlatform {
  readonly stub: StubCrm;
  readonly env: TestWorkflowEnvironment;
  readonly pool: pg.Pool;
  /** As the worker has them. */
  readonly reportSettings: Env;
  readonly #worker: RunningWorker;

  private constructor(stub: StubCrm, env: TestWorkflowEnvironment, pool: pg.Pool, settings: Env, worker: RunningWorker) {
    this.reportSettings = settings;
    this.stub = stub;
    this.env = env;
    this.pool = pool;
    this.#worker = worker;
  }

  static async start(settings: Record<string, string> = {}): Promise<CrmPlatform> {
    const stub = await new StubCrm().listen();
    const url = await createDatabase();
    const env = await createTimeSkipping();
    const defaults = {
      DATABASE_URL: url,
      CRM_KIND: 'http',
      CRM_URL: stub.url,
      PARTNER_URL: stub.url,
      CRM_TOKEN: 'a-token',
      // A machine with much else to do may take seconds over a request, which is no CRM that is away then.
      CRM_TIMEOUT_MS: '8000',
      CRM_RATE: '1000',
    };
    const all = { ...defaults, ...settings };
    const worker = await runWorker(env, all, { relay: new ScriptedRelay(), clock: activityClock(stub) });
    return new CrmPlatform(stub, env, createPool(url, 5), readEnv(all), worker);
  }

  async close(): Promise<void> {
    await this.#worker.stop();
    await this.pool.end();
    await this.stub.close();
  }

  async clear(): Promise<void> {
    this.stub.reset();
    await this.pool.query('truncate core_crmmap, send_pace restart identity');
    await this.pool.query('delete from core_user');
  }

  /** A new user with a mapping that waits. @returns the mapping's id */
  async mapped(user: { id: number; email?: string }): Promise<number> {
    await this.pool.query(
      `insert into core_user (id, email, first_name, city, country, zip) values ($1, $2, 'Ada', 'Springfield', 'United States', '01101')`,
      [user.id, user.email ?? `person${user.id}@example.org`],
    );
    const { rows } = await this.pool.query('insert into core_crmmap (id, user_id) values ($1, $1) returning id', [user.id]);
    return rows[0].id;
  }

  /** What the API writes for each of its requests. */
  async ask(mapId: number, what: 'sync' | 'disconnect'): Promise<void> {
    const [status, ending] = what === 'sync' ? ['pending', null] : ['disconnected', 'disconnected'];
    await this.pool.query(
      'update core_crmmap set wanted = wanted + 1, urgent = true, requested_at = now(), status = $2, ending = $3 where id = $1',
      [mapId, status, ending],
    );
  }

  start(mapId: number) {
    return this.env.client.workflow.signalWithStart('syncUser', {
      workflowId: workflowId.syncUser(mapId),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mapId }],
      signal: 'sync',
    });
  }

  round() {
    const options = { workflowId: workflowId.syncChanged, taskQueue: TASK_QUEUE.campaign, args: [{}] };
    return this.env.client.workflow.start('syncChanged', options);
  }

  async row(mapId: number) {
    const { rows } = await this.pool.query(
      'select crm_id, match_type, status, last_error, wanted, done, urgent, generation, held_by from core_crmmap where id = $1',
      [mapId],
    );
    return rows[0];
  }
}
