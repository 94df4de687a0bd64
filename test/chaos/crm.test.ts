import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { type Fault, StubCrm, type StubRequest } from '../support/crm-stub.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

/** npm run test:crm has 2,000 of them and ten kills. */
const USERS = Number(process.env['CRM_CHAOS_USERS'] ?? 200);
const KILLS = Number(process.env['CRM_CHAOS_KILLS'] ?? 2);
const SEED = Number(process.env['CRM_CHAOS_SEED'] ?? Date.now() % 1_000_000);

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

describe(`a worker killed ${KILLS} times while ${USERS} users go to the CRM and the partner system (CRM_CHAOS_SEED=${SEED})`, () => {
  const chance = random(SEED);
  const systems = { crm: new StubCrm(), partner: new StubCrm() };
  let place: TestNamespace;
  let pool: pg.Pool;
  let url: string;

  before(async () => {
    place = await createNamespace();
    url = await createDatabase();
    pool = createPool(url, 5);
    for (const stub of Object.values(systems)) await stub.listen();
  });
  after(async () => {
    await pool?.end();
    for (const stub of Object.values(systems)) await stub.close();
  });

  /** Neither heeds idempotency keys: nothing but our own care keeps records from being made twice. */
  const fault = async (_request: StubRequest): Promise<Fault | null> => {
    await sleep(5 + 20 * chance());
    const dice = chance();
    if (dice < 0.02) return { kind: 'lost' };
    if (dice < 0.04) return { kind: 'half' };
    if (dice < 0.06) return { kind: 'status', status: 500 };
    if (dice < 0.065) return { kind: 'status', status: 429, headers: { 'retry-after': '1' } };
    if (dice < 0.07) return { kind: 'silence' };
    return null;
  };

  it('makes one record and one mapping of each, in both', async function () {
    this.timeout(480_000 + USERS * 200);
    for (const stub of Object.values(systems)) Object.assign(stub, { fault, idempotent: false });
    await pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, $1) g`, [USERS]);
    await pool.query('insert into core_crmmap (id, user_id, urgent) select id, id, id % 2 = 0 from core_user');

    const env = {
      ...process.env,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: 'smtp://127.0.0.1:9',
      CRM_KIND: 'http',
      CRM_URL: systems.crm.url,
      CRM_RATE: '500',
      CRM_TIMEOUT_MS: '500',
      CRM_RETRY_SECONDS: '1',
      CRM_RETRY_MOST_SECONDS: '2',
      PARTNER_KIND: 'http',
      PARTNER_URL: systems.partner.url,
      PARTNER_RATE: '500',
    };
    const program = { logFolder: join(dataFolder(), 'logs'), env };
    const { workflow } = place.client;
    const start = (type: string, id: string, input: object) =>
      workflow.signalWithStart(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [input], signal: 'sync' });
    // Half of them each by a run of its own, the others by a round; and everybody goes to the partner system.
    for (let id = 2; id <= USERS; id += 2) await start('syncUser', workflowId.syncUser(id), { mapId: id });
    const round = (type: string, id: string) => workflow.start(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{}] });
    const rounds = () => Promise.all([round('syncChanged', workflowId.syncChanged), round('runIntegration', workflowId.runIntegration)]);
    let running = await rounds();

    let worker = await startWorkerProcess(program, 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      await sleep(300 + 1500 * chance());
      process.kill(worker.pid, 'SIGKILL');
      await worker.exited;
      worker = await startWorkerProcess(program, kill + 1);
    }
    // What failed three times in a row is left to the next round, and what a run of its own held is that run's.
    for (let more = 0; ; more++) {
      await Promise.all(running.map((each) => each.result()));
      if ((await open()) === 0) break;
      ok(more < 60, `${await open()} still wait`);
      await sleep(500);
      running = await rounds();
    }
    await worker.stop();

    const { rows: maps } = await pool.query('select user_id, crm_id, status from core_crmmap order by user_id');
    equal(maps.length, USERS);
    ok(maps.every(({ status }) => status === 'synced'));
    deepEqual(maps.map(({ crm_id }) => String(crm_id)).sort(), [...systems.crm.contacts.keys()].sort());
    deepEqual(
      maps.map(({ user_id, crm_id }) => [`person${user_id}@example.org`, crm_id]),
      maps.map(({ crm_id }) => [systems.crm.contacts.get(crm_id)?.email, crm_id]),
    );

    const { rows: partners } = await pool.query('select user_id, partner_contact_id from core_partnerusermap order by user_id');
    equal(partners.length, USERS);
    deepEqual(partners.map(({ partner_contact_id: id }) => String(id)).sort(), [...systems.partner.contacts.keys()].sort());
    equal((await pool.query('select from partner_intent')).rowCount, 0);
  });

  const open = async (): Promise<number> => {
    const { rows } = await pool.query(
      `select (select count(*) from core_crmmap where wanted > done)::int
        + (select count(*) from core_user u where not exists (select from core_partnerusermap m where m.user_id = u.id))::int as n`,
    );
    return rows[0].n;
  };
});
