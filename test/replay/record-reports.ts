import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../entities/pool.ts';
import { ensureReportRole } from '../../entities/report-role.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { mochaHooks } from '../support/endings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

// Saves one history of each way a report in the background goes: node test/replay/record-reports.ts. Like record.ts, for reports.

const folder = join(import.meta.dirname, 'histories');
mkdirSync(folder, { recursive: true });
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
  const history = await place.client.workflow.getHandle(id).fetchHistory();
  // Identities and stacks name this machine; nothing replays them.
  const text = historyToJSON(history)
    .replace(/"identity": "[^"]*"/g, '"identity": "worker"')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  writeFileSync(join(folder, `${name}.json`), text);
  console.log(name, history.events?.length, 'events');
}

await record('report-completed', 'select 1', []);
await record('report-mailed', 'select 1', ['ann@example.org', 'bob@example.org']);
await record('report-failed', 'select 1 / 0', []);
await place.client.workflow.execute('clearOld', { workflowId: 'clear-old', taskQueue: TASK_QUEUE.campaign, args: [{}] });
const cleared = historyToJSON(await place.client.workflow.getHandle('clear-old').fetchHistory());
writeFileSync(join(folder, 'clear-old.json'), cleared.replace(/"identity": "[^"]*"/g, '"identity": "worker"'));
await worker.stop();
await pool.end();
await mochaHooks.afterAll.call({ timeout() {} } as unknown as Mocha.Context);
process.exit(0);
