import { readEnv } from '../../config/env.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { createPool } from '../../db/pool.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves one history of each way a recurring mailing goes: node test/replay/record-recurring.ts. Like record.ts, for recurring mailings.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 3);
const settings = { DATABASE_URL: url, DATA_DIR: dataFolder() };
await ensureReportRole(pool, readEnv(settings));
const worker = await runWorker(place, settings, { relay: new ScriptedRelay(2) });

async function record(name: string, active: boolean): Promise<void> {
  const { rows } = await pool.query(`insert into core_mailing (status) values ('recurring') returning id`);
  const mailingId = rows[0].id;
  await pool.query('insert into core_recurringschedule (mailing_id, active) values ($1, $2)', [mailingId, active]);
  const id = workflowId.runRecurring(mailingId);
  await place.client.workflow.execute('runRecurring', { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ mailingId }] });
  await saveHistory(place.client, name, id);
}

await record('recurring-sent', true);
await record('recurring-over', false);
await worker.stop();
await pool.end();
await endRecording();
