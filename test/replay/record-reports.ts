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

// Saves one history of each way a report in the background goes: node test/replay/record-reports.ts. Like record.ts, for reports.

const place = await createNamespace();
const url = await createDatabase();
const pool = createPool(url, 3);
const settings = { DATABASE_URL: url, DATA_DIR: dataFolder() };
await ensureReportRole(pool, readEnv(settings));
const worker = await runWorker(place, settings, { relay: new ScriptedRelay(2) });

async function record(name: string, statement: string, emails: string[]): Promise<void> {
  const { rows } = await pool.query(`insert into core_backgroundtask (short_name, statement, emails) values ('x', $1, $2) returning id`, [
    JSON.stringify({ text: statement, values: [] }),
    JSON.stringify(emails),
  ]);
  const id = workflowId.runReport(rows[0].id);
  await place.client.workflow.execute('runReport', { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ jobId: rows[0].id }] });
  await saveHistory(place.client, name, id);
}

await record('report-completed', 'select 1', []);
await record('report-mailed', 'select 1', ['ann@example.org', 'bob@example.org']);
await record('report-failed', 'select 1 / 0', []);
await place.client.workflow.execute('clearOld', { workflowId: 'clear-old', taskQueue: TASK_QUEUE.campaign, args: [{}] });
await saveHistory(place.client, 'clear-old', 'clear-old');
await worker.stop();
await pool.end();
await endRecording();
