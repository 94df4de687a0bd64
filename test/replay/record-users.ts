import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves one history of each way our workflows about users go: node test/replay/record-users.ts. Like record.ts, to be run under new names.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 5);
const relay = new ScriptedRelay();
const worker = await runWorker(place, { DATABASE_URL: url, SMTP_URL: 'smtp://127.0.0.1:1' }, { relay });
await pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 9) g`);
await pool.query(`insert into core_page (id, name, type) values (1, 'join', 'signup'), (2, 'import', 'import')`);
await pool.query(
  `insert into core_pagefollowup (page_id, send_email, email_subject, email_body) values (1, true, 'Thanks', '<p>Thanks</p>')`,
);
await pool.query(`insert into core_action (id, user_id, page_id) values (1, 5, 1)`);
await pool.query(`insert into core_usermerge (id, primary_user, users, address_user, source_user) values (1, 1, '[2]', 1, 1)`);
await pool.query('insert into core_erasure (id, user_id) values (1, 3)');
await pool.query(
  `insert into core_transactionalmailing (id, user_id, action_id, kind, email) values (1, 5, 1, 'confirmation', 'person5@example.org')`,
);
await pool.query(`insert into core_upload (id, page_id, columns, line_count) values (1, 2, '["email"]', 5000)`);
await pool.query(
  `insert into core_uploadblock
   select 1, 0, g / 2000, jsonb_agg(jsonb_build_array(g + 1, 'import' || g || '@example.org'))::text from generate_series(1, 5000) g group by g / 2000`,
);

// What was inserted under ids of ours must not stand in the way of what the workflows make.
for (const table of ['core_user', 'core_page', 'core_action']) {
  await pool.query(`select setval('${table}_id_seq', 100)`);
}

async function record(name: string, type: string, id: string): Promise<void> {
  await place.client.workflow.execute(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ jobId: 1 }] });
  await saveHistory(place.client, name, id);
}

await record('users-merged', 'mergeUsers', workflowId.mergeUsers(1));
await record('user-erased', 'eraseUser', workflowId.eraseUser(1));
await pool.query(`insert into core_list (id, name) values (50, 'Gone')`);
await pool.query('insert into core_listdeletion (id, list_id) values (1, 50)');
await record('list-deleted', 'deleteList', workflowId.deleteList(1));
await record('upload-imported', 'importUpload', workflowId.importUpload(1));
let answers = 0;
relay.answer = () => (++answers < 3 ? { kind: 'unsent', reply: 'no connection', relay: 'down' } : { kind: 'accepted', reply: '250' });
await record('confirmation-after-an-outage', 'sendConfirmation', workflowId.sendConfirmation(1));

await worker.stop();
await pool.end();
await endRecording();
