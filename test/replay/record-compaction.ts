import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { mochaHooks } from '../support/endings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

// Saves the history of a round of compaction: node test/replay/record-compaction.ts. Like record.ts.

const place = await createNamespace();
const worker = await runWorker(place, { DATABASE_URL: await createDatabase() }, { relay: new ScriptedRelay(1) });
const workflowId = 'compact-ledgers';
await place.client.workflow.execute('compactLedgers', { workflowId, taskQueue: TASK_QUEUE.campaign });
const history = await place.client.workflow.getHandle(workflowId).fetchHistory();
// An identity names this machine; nothing replays it.
const text = historyToJSON(history).replace(/"identity": "[^"]*"/g, '"identity": "worker"');
writeFileSync(join(import.meta.dirname, 'histories/ledgers-compacted.json'), text);
await worker.stop();
await mochaHooks.afterAll.call({ timeout() {} } as unknown as Mocha.Context);
process.exit(0);
