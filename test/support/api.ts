import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { build } from '../../api/app.ts';
import type { WorkflowGateway } from '../../api/workflow-gateway.ts';
import { type Env, readEnv } from '../../config/env.ts';
import { installConsole } from '../../console/console.ts';
import { passwordCost } from '../../core/accounts/password.ts';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import type { RecurringScheduleOptions, WorkflowStart } from '../../workflows/contracts.ts';
import { checkAnswers } from './answer-check.ts';
import { createDatabase } from './database.ts';

/** A workflow service that writes down what it is asked, for tests of what stands in front of it. */
export class RecordedWorkflows implements WorkflowGateway {
  starts: WorkflowStart[] = [];
  signals: { workflowId: string; message: string; args: unknown[] }[] = [];
  /** Runs that were asked something; none answers. */
  asked: string[] = [];
  schedules = new Map<string, RecurringScheduleOptions>();
  /** Whether they are paused; null where nobody answers. */
  paused: boolean | null = false;
  isAway = false;
  /** Thrown by every call when set. */
  failure: Error | null = null;

  async start(start: WorkflowStart): Promise<'started' | 'running'> {
    if (this.failure) throw this.failure;
    const running = this.starts.some(({ workflowId }) => workflowId === start.workflowId);
    this.starts.push(start);
    return running ? 'running' : 'started';
  }

  async signalWithStart(start: WorkflowStart, message: string): Promise<void> {
    if (this.failure) throw this.failure;
    this.starts.push(start);
    this.signals.push({ workflowId: start.workflowId, message, args: [] });
  }

  async signal(workflowId: string, message: string, ...args: unknown[]): Promise<void> {
    if (this.failure) throw this.failure;
    this.signals.push({ workflowId, message, args });
  }

  async query<Answer>(workflowId: string): Promise<Answer | null> {
    if (this.failure) throw this.failure;
    this.asked.push(workflowId);
    return null;
  }

  async isSchedulePaused(scheduleId: string): Promise<boolean | null> {
    return this.failure || !this.schedules.has(scheduleId) ? null : this.paused;
  }

  async ensureSchedule(schedule: RecurringScheduleOptions): Promise<void> {
    if (this.failure) throw this.failure;
    this.schedules.set(schedule.scheduleId, schedule);
  }

  async removeSchedule(scheduleId: string): Promise<void> {
    if (this.failure) throw this.failure;
    this.schedules.delete(scheduleId);
  }

  async ready(): Promise<void> {
    if (this.failure) throw this.failure;
  }
}

export const ADMIN = { username: 'admin', password: 'test-password' };

/** A password in earnest takes a quarter of a second of processor time, in each of hundreds of accounts: in tests of other things they cost nothing. */
const NO_COST = { N: 2, r: 1, p: 1 };
const FULL_COST = { ...passwordCost };
/** Until the next API is started. */
export const passwordsInEarnest = () => Object.assign(passwordCost, FULL_COST);

const ADMIN_HASH = `scrypt$2$1$1$AAAA$${scryptSync(ADMIN.password, Buffer.from('AAAA', 'base64'), 32, NO_COST).toString('base64')}`;

export function basic({ username, password } = ADMIN): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The API on a database of its own, called as the superuser unless a call says otherwise. */
export interface TestApi {
  app: FastifyInstance;
  env: Env;
  pool: pg.Pool;
  orm: Orm;
  workflows: RecordedWorkflows;
  databaseUrl: string;
  /** `payload` objects go as JSON. `authorization: ''` sends none. */
  call(method: string, url: string, payload?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** POST that must answer 201. @returns the relative URI of the new object */
  create(resource: string, payload: object): Promise<string>;
  /** GET that must answer 200. */
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape
  read(url: string): Promise<any>;
  close(): Promise<void>;
}

/**
 * @param settings over the defaults
 * @param onApp sees the application before any route is registered
 * @param gateway a real workflow service in place of the recorded one
 */
export async function startApi(
  settings: Record<string, string> = {},
  onApp?: (app: FastifyInstance) => void,
  gateway?: WorkflowGateway,
): Promise<TestApi> {
  const databaseUrl = await createDatabase();
  Object.assign(passwordCost, NO_COST);
  const env = readEnv({
    DATABASE_URL: databaseUrl,
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD: ADMIN.password,
    BASE_URL: 'http://platform.test',
    // Most tests change accounts to see what they may do then.
    ACCOUNT_CACHE_MS: '20',
    ...settings,
  });
  const orm = await connectOrm({ DATABASE_URL: databaseUrl, DATABASE_POOL: 5 });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 5 });
  pool.on('error', () => {});
  await pool.query(`insert into auth_user (username, password, is_staff, is_superuser) values ($1, $2, true, true)`, [
    ADMIN.username,
    ADMIN_HASH,
  ]);
  const workflows = new RecordedWorkflows();
  let wrongAnswers = (): string[] => [];
  const app = await build({ env, orm, pool, workflows: gateway ?? workflows, pages: installConsole }, (made) => {
    wrongAnswers = checkAnswers(made);
    onApp?.(made);
  });
  const api: TestApi = {
    app,
    env,
    pool,
    orm,
    workflows,
    databaseUrl,
    call: async (method, url, payload, headers = {}) => {
      const all: Record<string, string> = { authorization: basic(), ...headers };
      if (!all['authorization']) delete all['authorization'];
      const answer = await app.inject({
        method: method as InjectOptions['method'],
        url,
        payload: payload as InjectOptions['payload'],
        headers: all,
      });
      assert.deepEqual(wrongAnswers(), [], 'an answer is not what its schema says');
      return answer;
    },
    create: async (resource, payload) => {
      const answer = await api.call('POST', `/rest/v1/${resource}/`, payload);
      if (answer.statusCode !== 201) throw new Error(`POST ${resource} answered ${answer.statusCode}: ${answer.body}`);
      return String(answer.headers.location).slice(env.BASE_URL.length);
    },
    read: async (url) => {
      const answer = await api.call('GET', url);
      if (answer.statusCode !== 200) throw new Error(`GET ${url} answered ${answer.statusCode}: ${answer.body}`);
      return answer.json();
    },
    close: async () => {
      await app.close();
      await pool.end();
      await orm.close(true);
    },
  };
  return api;
}
