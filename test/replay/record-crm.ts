import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { StubCrm } from '../support/crm-stub.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves one history of each way our workflows of the external systems go: node test/replay/record-crm.ts. Like record.ts, to be run under new names.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 5);
const stub = await new StubCrm().listen();
const settings = { DATABASE_URL: url, CRM_KIND: 'http', CRM_URL: stub.url, PARTNER_KIND: 'http', PARTNER_URL: stub.url };
const quick = { CRM_RETRY_SECONDS: '1', CRM_RATE: '50', PARTNER_RATE: '3', CRM_BATCH: '4' };
const worker = await runWorker(place, { ...settings, ...quick }, { relay: new ScriptedRelay() });
await pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 9) g`);
await pool.query('insert into core_crmmap (id, user_id) select id, id from core_user');

const run = (type: string, id: string, input: object) =>
  place.client.workflow.signalWithStart(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [input], signal: 'sync' });

await (await run('syncUser', workflowId.syncUser(1), { mapId: 1 })).result();
await saveHistory(place.client, 'crm-synced', workflowId.syncUser(1));

stub.fault = (_request, nth) => (nth < 12 ? { kind: 'status', status: 503 } : null);
stub.requests = [];
const waiting = await run('syncUser', workflowId.syncUser(2), { mapId: 2 });
await sleep(2500);
await pool.query(`update core_crmmap set wanted = wanted + 1, status = 'disconnected', ending = 'disconnected' where id = 2`);
stub.fault = () => null;
await waiting.signal('sync');
await waiting.result();
await saveHistory(place.client, 'crm-away-then-disconnected', workflowId.syncUser(2));

stub.requests = [];
stub.fault = (_request, nth) => (nth === 3 ? { kind: 'status', status: 429, headers: { 'retry-after': '1' } } : null);
await (await run('syncChanged', workflowId.syncChanged, {})).result();
await saveHistory(place.client, 'crm-round', workflowId.syncChanged);

stub.requests = [];
stub.fault = (_request, nth) => (nth === 2 ? { kind: 'status', status: 503 } : null);
await (await run('runIntegration', workflowId.runIntegration, {})).result();
await saveHistory(place.client, 'partner-integration', workflowId.runIntegration);

await worker.stop();
await pool.end();
await stub.close();
await endRecording();
