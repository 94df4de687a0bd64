import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves one history of each way our workflows of sending go: node test/replay/record.ts. To be run when a workflow was changed behind patched(), under a new
// name: histories that were saved once stay, for runs like them may still be open somewhere.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 5);
const relay = new ScriptedRelay(8);
const settings = { DATABASE_URL: url, SEND_RETRY_SECONDS: '1', SEND_SLICE_SECONDS: '1', SEND_SHARD_SIZE: '2000' };
const worker = await runWorker(place, settings, { relay });
const run = (type: string, id: string, input: object) =>
  place.client.workflow.start(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [input] });
const send = async (id: number) => run('sendMailing', workflowId.sendMailing(id), { mailingId: id });

const plain = await queueMailing(pool, 300);
await (await send(plain)).result();
await saveHistory(place.client, 'send-completed', workflowId.sendMailing(plain));

const lanes = await queueMailing(pool, 12_000, { rate: 4000 });
await (await send(lanes)).result();
await saveHistory(place.client, 'send-two-lanes', workflowId.sendMailing(lanes));

const stopped = await queueMailing(pool, 3000, { rate: 200 });
const stopping = await send(stopped);
await new Promise((resolve) => setTimeout(resolve, 3000));
await stopping.signal('stop');
await stopping.result();
await saveHistory(place.client, 'send-stopped', workflowId.sendMailing(stopped));

const scheduled = await queueMailing(pool, 10, { scheduledFor: new Date(Date.now() + 2500) });
const waiting = await send(scheduled);
await waiting.signal('reschedule');
await waiting.result();
await saveHistory(place.client, 'send-scheduled', workflowId.sendMailing(scheduled));

const down = await queueMailing(pool, 50);
let answers = 0;
relay.answer = () => (++answers < 20 ? { kind: 'unsent', reply: '421 busy', relay: 'busy' } : { kind: 'accepted', reply: '250' });
await (await send(down)).result();
await saveHistory(place.client, 'send-relay-away', workflowId.sendMailing(down));

relay.answer = () => ({ kind: 'unsent', reply: '535 no', relay: 'refused-credentials' });
const died = await queueMailing(pool, 50);
await (await send(died)).result();
await saveHistory(place.client, 'send-died', workflowId.sendMailing(died));
relay.answer = () => ({ kind: 'accepted', reply: '250' });

const rebuilding = await queueMailing(pool, 50);
await pool.query('update core_mailing set rebuild_query_at_send = true where id = $1', [rebuilding]);
await (await send(rebuilding)).result();
await saveHistory(place.client, 'send-rebuilt', workflowId.sendMailing(rebuilding));

const draft = await queueMailing(pool, 20);
await pool.query(`update core_mailing set status = 'draft' where id = $1`, [draft]);
const job = async (table: string, columns: string, values: string) =>
  (await pool.query(`insert into ${table} (mailing_id, ${columns}) values ($1, ${values}) returning id`, [draft])).rows[0].id as number;
const rebuild = await job('core_mailingrebuild', 'targeting_version', '1');
await (await run('rebuildTargets', workflowId.rebuildTargets(draft, rebuild), { mailingId: draft, jobId: rebuild })).result();
await saveHistory(place.client, 'rebuild', workflowId.rebuildTargets(draft, rebuild));

const proofs = await job('core_mailingproof', 'reviewers, proofs', `'["reviewer@example.org"]', 2`);
await (await run('sendProofs', workflowId.sendProofs(draft, proofs), { mailingId: draft, jobId: proofs })).result();
await saveHistory(place.client, 'proofs', workflowId.sendProofs(draft, proofs));

await (await run('sweep', 'sweep', {})).result();
await saveHistory(place.client, 'sweep', 'sweep');

await worker.stop();
await pool.end();
await endRecording();
