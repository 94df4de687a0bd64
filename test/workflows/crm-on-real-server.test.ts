import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { ensureSchedules } from '../../activities/schedules.ts';
import { build } from '../../api/app.ts';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { type Env, readEnv } from '../../config/env.ts';
import { ensureFirstSuperuser } from '../../core/accounts/first-superuser.ts';
import { createPool } from '../../db/pool.ts';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { ADMIN, basic } from '../support/api.ts';
import { StubCrm } from '../support/crm-stub.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('the CRM sync on the real server', () => {
  const stub = new StubCrm();
  let place: TestNamespace;
  let pool: pg.Pool;
  let orm: Orm;
  let app: FastifyInstance;
  let env: Env;
  let settings: Record<string, string>;

  before(async () => {
    await stub.listen();
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    settings = { DATABASE_URL: url, CRM_KIND: 'http', CRM_URL: stub.url, CRM_RATE: '100' };
    env = readEnv({ ...settings, ADMIN_USERNAME: ADMIN.username, ADMIN_PASSWORD: ADMIN.password, BASE_URL: 'http://platform.test' });
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 3 });
    await ensureFirstSuperuser(orm, env);
    app = await build({ env, orm, pool, workflows: temporalWorkflows(place.client) });
    await pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 20) g`);
    await runWorker(place, settings, { relay: new ScriptedRelay() });
  });
  after(async () => {
    await app?.close();
    await orm?.close(true);
    await pool?.end();
    await stub.close();
  });

  const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
    app.inject({ method, url, headers: { authorization: basic() }, ...(payload && { payload }) });
  const add = async (userId: number) => {
    const answer = await call('POST', '/rest/v1/crmmap/', { user_id: userId });
    equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).replace('http://platform.test', '');
  };
  const becomes = async (uri: string, status: string) => {
    for (let tries = 0; tries < 3000; tries++) {
      const map = (await call('GET', uri)).json();
      if (map.status === status) return map;
      await sleep(50);
    }
    throw new Error(`${uri} never became ${status}`);
  };

  it('sends a user at once, shows the mapping, and takes the user out again', async () => {
    const uri = await add(1);
    const map = await becomes(uri, 'synced');
    deepEqual([map.match_type, map.crm_id, map.last_error], ['created', [...stub.contacts.keys()][0], '']);
    ok(map.last_sync_at);
    equal((await call('POST', `${uri}disconnect_user/`)).statusCode, 202);
    await becomes(uri, 'disconnected');
    for (let tries = 0; !stub.contacts.get(map.crm_id)?.ended; tries++) {
      ok(tries < 4000, 'the CRM was never told');
      await sleep(50);
    }
    equal((await call('POST', `${uri}sync_user/`)).statusCode, 202);
    await becomes(uri, 'synced');
  });

  it('has one run per mapping, found by its user and kind, with nothing personal about it', async () => {
    const uri = await add(2);
    await becomes(uri, 'synced');
    const id = Number(/(\d+)\/$/.exec(uri)?.[1]);
    const handle = place.client.workflow.getHandle(workflowId.syncUser(id));
    const { typedSearchAttributes } = await handle.describe();
    deepEqual(
      typedSearchAttributes
        .getAll()
        .flatMap(({ key, value }) => (['JobKind', 'UserId'].includes(key.name) ? [[key.name, value]] : []))
        .sort(),
      [
        ['JobKind', 'crm'],
        ['UserId', 2],
      ],
    );
    const history = JSON.stringify(await handle.fetchHistory());
    const text = Buffer.from(history).toString() + decoded(history);
    ok(!text.includes('person2@'), 'an address stands in the history');
  });

  it('starts what was asked for and has no run', async () => {
    const { rows } = await pool.query(
      `insert into core_crmmap (user_id, requested_at) values (3, now() - interval '1 minute'), (4, now()) returning id`,
    );
    const run = await place.client.workflow.start('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign });
    equal(await run.result(), 1);
    await becomes(`/rest/v1/crmmap/${rows[0].id}/`, 'synced');
    const { rows: left } = await pool.query('select status from core_crmmap where id = $1', [rows[1].id]);
    equal(left[0].status, 'pending');
  });

  it('has a schedule for its rounds while it is switched on, by the setting', async () => {
    const schedules = async () => {
      const found: string[] = [];
      for await (const { scheduleId } of place.client.schedule.list()) found.push(scheduleId);
      return found.sort();
    };
    const interval = async () => (await place.client.schedule.getHandle('crm-sync-changed').describe()).spec.intervals?.[0]?.every;
    await ensureSchedules(place.client, { ...env, PARTNER_KIND: 'http' });
    equal(await interval(), 15 * 60_000);
    await ensureSchedules(place.client, { ...env, CRM_RESYNC_MINUTES: 5 });
    equal(await interval(), 5 * 60_000);
    for (let tries = 0; !(await schedules()).includes('crm-sync-changed'); tries++) {
      ok(tries < 2000);
      await sleep(100);
    }
    const uri = await add(5);
    await becomes(uri, 'synced');
    await pool.query(`update core_user set first_name = 'Changed', updated_at = now() where id = 5`);
    await place.client.schedule.getHandle('crm-sync-changed').trigger();
    for (let tries = 0; ![...stub.contacts.values()].some(({ first_name }) => first_name === 'Changed'); tries++) {
      ok(tries < 4000, 'the round never came');
      await sleep(50);
    }
    await ensureSchedules(place.client, { ...env, CRM_KIND: 'none' });
    for (let tries = 0; (await schedules()).includes('crm-sync-changed'); tries++) {
      ok(tries < 2000);
      await sleep(100);
    }
  });
});

/** Every payload of a history, decoded. */
function decoded(history: string): string {
  const payloads = [...history.matchAll(/"data":("[^"]*"|\{[^}]*\})/g)].map(([, data]) => JSON.parse(data!));
  return payloads
    .map((data) => (typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(Object.values(data) as number[])).toString())
    .join('\n');
}
