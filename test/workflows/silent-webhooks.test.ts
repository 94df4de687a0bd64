import { equal, ok } from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { PURPOSE } from '../../core/webhooks/deliver.ts';
import { webhooksDue } from '../../core/webhooks/deliveries.ts';
import { createPool } from '../../db/pool.ts';
import { seal } from '../../domain/sealed.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { StubCrm } from '../support/crm-stub.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Each is waited for ten seconds, ten at a time: more than three minutes for all. */
const SILENT = 200;
/** More than the sweep begins runs for at a time. */
const MANY = 1100;

describe('webhooks that do not answer', () => {
  let silent: Server;
  let asked = 0;
  let pool: pg.Pool;
  let DATABASE_URL: string;

  before(async () => {
    silent = createServer(() => asked++).listen(0, '127.0.0.1');
    await new Promise((listening) => silent.once('listening', listening));
    DATABASE_URL = await createDatabase();
    pool = createPool(DATABASE_URL, 3);
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await pool.end();
  });
  beforeEach(() => pool.query('truncate core_webhook restart identity cascade'));

  const port = (server: Server) => (server.address() as AddressInfo).port;
  async function addWebhooks(many: number, url = `http://127.0.0.1:${port(silent)}/hook`): Promise<void> {
    const secret = seal(readEnv({}).SECRET_KEY, PURPOSE, SECRET);
    await pool.query(`insert into core_webhook (url, events, secret) select $1, '["action"]', $2 from generate_series(1, $3)`, [
      url,
      secret,
      many,
    ]);
    await pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id) select id, 'action', 'action', 1 from core_webhook`,
    );
  }

  it('keep no person from the CRM, however many there are', async () => {
    await addWebhooks(SILENT);
    const [stub, place] = [await new StubCrm().listen(), await createNamespace()];
    const crm = { CRM_KIND: 'http', CRM_URL: stub.url, CRM_TOKEN: 'a-token' };
    const worker = await runWorker(place, { DATABASE_URL, WEBHOOKS_INSIDE: 'true', ...crm }, { relay: new ScriptedRelay(1) });
    const { workflow } = place.client;
    const { campaign: taskQueue } = TASK_QUEUE;
    for (let jobId = 1; jobId <= SILENT; jobId++)
      await workflow.start('deliverWebhook', { workflowId: workflowId.deliverWebhook(jobId), taskQueue, args: [{ jobId }] });
    while (asked < 5) await sleep(50);

    await pool.query(`insert into core_user (id, email) values (1, 'ada@example.org')`);
    await pool.query('insert into core_crmmap (id, user_id) values (1, 1)');
    const sync = await workflow.signalWithStart('syncUser', {
      workflowId: workflowId.syncUser(1),
      taskQueue,
      args: [{ mapId: 1 }],
      signal: 'sync',
    });
    equal(await sync.result(), 'synced');
    ok(asked < SILENT - 20, `${asked} of ${SILENT} were asked before`);
    await worker.stop();
    await stub.close();
  });

  it('keep none waiting that answers soon', async () => {
    let told = 0;
    const soon = createServer((_, answer) => {
      told++;
      answer.end();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => soon.once('listening', listening));
    await addWebhooks(1, `http://localhost:${port(soon)}/hook`);
    const place = await createNamespace();
    const worker = await runWorker(place, { DATABASE_URL, WEBHOOKS_INSIDE: 'true' }, { relay: new ScriptedRelay(1) });
    const { workflow } = place.client;
    const deliver = (jobId: number) =>
      workflow.start('deliverWebhook', {
        workflowId: workflowId.deliverWebhook(jobId),
        taskQueue: TASK_QUEUE.campaign,
        args: [{ jobId }],
      });
    await (await deliver(1)).result();
    equal(told, 1);

    await addWebhooks(SILENT);
    asked = 0;
    for (let jobId = 2; jobId <= SILENT + 1; jobId++) await deliver(jobId);
    while (asked < 5) await sleep(50);
    await (await deliver(1)).result();
    equal(told, 2);
    ok(asked < SILENT / 2, `${asked} of ${SILENT} were asked before`);
    await worker.stop();
    soon.close();
  });

  it('take no turn of those that were made after them', async () => {
    await addWebhooks(MANY);
    const due = new Set<number>();
    for (let looks = 0; looks < 50 && due.size < MANY; looks++) for (const id of await webhooksDue(pool)) due.add(id);
    equal(due.size, MANY);
  });
});
