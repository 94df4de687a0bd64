import { deepEqual } from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { lookAtRuns } from '../../api/health/runs.ts';
import { startOf, startOptions } from '../../workflows/contracts.ts';
import { createNamespace } from '../support/temporal.ts';

/** The status of a run that was paused. */
const PAUSED = 8;

describe('what doctor says of runs', function () {
  this.timeout(60_000);

  it('names one that was paused: it goes on when somebody has it go on', async () => {
    const { client } = await createNamespace();
    const start = (mailingId: number) => {
      const run = startOf('sendMailing', { mailingId });
      return client.workflow.start(run.workflow, startOptions(run));
    };
    const [paused] = [await start(7), await start(8)];
    deepEqual(await lookAtRuns(client), []);
    // This server does not pause runs, and refuses to look for such: one that does lists them by a status of their own.
    const workflow = new Proxy(client.workflow, {
      get(of, name) {
        if (name === 'list') return ({ query = '' }) => (query.includes(`ExecutionStatus = 'Paused'`) ? [paused] : []);
        if (name !== 'getHandle') return Reflect.get(of, name);
        return (id: string) => ({
          async describe() {
            const { raw } = await of.getHandle(id).describe();
            return { raw: { ...raw, workflowExecutionInfo: { ...raw.workflowExecutionInfo, status: PAUSED } } };
          },
        });
      },
    });
    const found = await lookAtRuns(Object.create(client, { workflow: { value: workflow } }) as Client);
    deepEqual(found, [
      { part: 'runs', state: 'look', says: 'mailing-7-send was paused in Temporal', todo: 'unpause it there; a send that is stopped ends' },
    ]);
  });
});
