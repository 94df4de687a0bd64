import { deepEqual, ok, rejects } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowBundle } from '../../activities/workflow-bundle.ts';
import '../support/temporal.ts';

const folder = join(import.meta.dirname, 'histories');
const histories = () =>
  readdirSync(folder).map((file) => ({
    workflowId: file.replace('.json', ''),
    history: JSON.parse(readFileSync(join(folder, file), 'utf8')),
  }));

describe('replaying saved histories', () => {
  it('finds every one in step with the present workflows', async () => {
    const saved = histories();
    ok(saved.length >= 10, `${saved.length} histories`);
    const failures: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: await workflowBundle() }, saved)) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
    deepEqual(failures, []);
  });

  it('fails for a workflow that was changed without patched()', async () => {
    const wrong = await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, 'wrong-workflows.ts'),
      logger: new DefaultLogger('ERROR'),
    });
    const saved = histories().find(({ workflowId }) => workflowId === 'send-completed');
    await rejects(Worker.runReplayHistory({ workflowBundle: wrong }, saved?.history), DeterminismViolationError);
  });
});
