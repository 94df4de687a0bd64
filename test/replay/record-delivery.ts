import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../db/pool.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves one history of each way that stands around a send: node test/replay/record-delivery.ts. Like record.ts, for undo delay, sending hours and notices.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 5);
const relay = new ScriptedRelay(4);
const settings = { DATABASE_URL: url, SEND_SLICE_SECONDS: '1' };

const start = (type: string, id: string, input: object) =>
  place.client.workflow.start(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [input] });
const queued = async () => {
  const id = await queueMailing(pool, 20);
  await pool.query('update core_mailing set queued_at = now() where id = $1', [id]);
  return id;
};

const patient = await runWorker(place, { ...settings, SEND_UNDO_SECONDS: '3' }, { relay });
const undone = await queued();
const undoing = await start('sendMailing', workflowId.sendMailing(undone), { mailingId: undone });
await sleep(1000);
await undoing.signal(MESSAGE.stop);
await undoing.result();
await saveHistory(place.client, 'send-undone', workflowId.sendMailing(undone));
const delayed = await queued();
await (await start('sendMailing', workflowId.sendMailing(delayed), { mailingId: delayed })).result();
await saveHistory(place.client, 'send-after-undo-delay', workflowId.sendMailing(delayed));
await patient.stop();

const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
const closed = await runWorker(place, { ...settings, SENDING_HOURS: `${at(120)}-${at(180)}` }, { relay });
const outside = await queued();
const waiting = await start('sendMailing', workflowId.sendMailing(outside), { mailingId: outside });
await sleep(2000);
await waiting.signal(MESSAGE.stop);
await waiting.result();
await saveHistory(place.client, 'send-outside-hours', workflowId.sendMailing(outside));

const { rows } = await pool.query(`insert into core_mailingnotice (mailing_id, kind, account_id) values ($1, 'stopped', 1) returning id`, [
  outside,
]);
await (await start('sendNotice', workflowId.sendNotice(rows[0].id), { jobId: rows[0].id })).result();
await saveHistory(place.client, 'notice', workflowId.sendNotice(rows[0].id));

await closed.stop();
await pool.end();
await endRecording();
