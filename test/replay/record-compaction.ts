import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';
import { endRecording, saveHistory } from './save-history.ts';

// Saves the history of a round of compaction: node test/replay/record-compaction.ts. Like record.ts.

const place = await createNamespace();
const worker = await runWorker(place, { DATABASE_URL: await createDatabase() }, { relay: new ScriptedRelay(1) });
const workflowId = 'compact-ledgers';
await place.client.workflow.execute('compactLedgers', { workflowId, taskQueue: TASK_QUEUE.campaign });
await saveHistory(place.client, 'ledgers-compacted', workflowId);
await worker.stop();
await endRecording();
