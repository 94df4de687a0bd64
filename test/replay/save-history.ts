import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { endProcess } from '../../embedded/end-process.ts';
import { mochaHooks } from '../support/endings.ts';

const folder = join(import.meta.dirname, 'histories');

/** Saves the history of a workflow that has ended, for replay.test.ts. */
export async function saveHistory(client: Client, name: string, workflowId: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  // Identities and stacks name this machine; nothing replays them.
  const text = historyToJSON(history)
    .replace(/"identity": "[^"]*"/g, '"identity": "worker"')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), text);
  console.log(name, history.events?.length, 'events');
}

/** Ends the servers that were started for it, and the process. */
export async function endRecording(): Promise<never> {
  await mochaHooks.afterAll.call({ timeout() {} } as unknown as Mocha.Context);
  endProcess(0);
}
