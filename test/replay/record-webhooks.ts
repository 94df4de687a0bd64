import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves the history of a webhook's run: node test/replay/record-webhooks.ts. Like record.ts, for webhooks.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 3);
const worker = await runWorker(place, { DATABASE_URL: url }, { relay: new ScriptedRelay(1) });
const { rows } = await pool.query(
  `insert into core_webhook (url, events, secret) values ('http://127.0.0.1:1/', '["action"]', 'unreadable') returning id`,
);
const webhook: number = rows[0].id;
await pool.query(`insert into core_webhookdelivery (webhook_id, event, resource, resource_id) values ($1, 'action', 'action', 1)`, [
  webhook,
]);
const id = workflowId.deliverWebhook(webhook);
await place.client.workflow.execute('deliverWebhook', { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ jobId: webhook }] });
await saveHistory(place.client, 'webhook-delivered', id);
await worker.stop();
await pool.end();
await endRecording();
