import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { CancelledFailure } from '@temporalio/common';
import { DETAILS, TASK_QUEUE } from '../../workflows/contracts.ts';
import * as workflows from '../../workflows/index.ts';
import { roundSchedule, roundsOf } from '../../workflows/rounds.ts';
import { createDatabase } from '../support/database.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('what operators read of a run in the Temporal UI', () => {
  it('says of each kind what becomes of it when it is cancelled', () => {
    deepEqual(Object.keys(workflows).sort(), Object.keys(DETAILS).sort());
    for (const details of Object.values(DETAILS)) match(details, /cancel/i);
  });

  it('says that it was cancelled, and not that it is still at work', async () => {
    const { sendMailing: _, rebuildTargets: __, sendProofs: ___, runReport: ____, ...others } = workflows;
    const place = await createNamespace();
    const runs = await Promise.all(
      Object.keys(others).map((name) =>
        place.client.workflow.start(name, {
          workflowId: name,
          taskQueue: TASK_QUEUE.campaign,
          args: [{ jobId: 1, mailingId: 1, mapId: 1 }],
        }),
      ),
    );
    for (const run of runs) await run.cancel();
    await runWorker(place, { DATABASE_URL: await createDatabase() }, { relay: new ScriptedRelay(1) });
    for (const run of runs) {
      await rejects(run.result(), ({ cause }: Error) => cause instanceof CancelledFailure);
      const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      equal(currentDetails, 'Cancelled; its details say what becomes of its work.', run.workflowId);
    }
  });

  it('says it of rounds, too, which schedules start', () => {
    const rounds = roundsOf({ CRM_KIND: 'http', CRM_RESYNC_MINUTES: 1, PARTNER_KIND: 'http', PARTNER_MINUTES: 1 });
    for (const round of rounds) equal(roundSchedule(round).action.staticDetails, DETAILS[round.workflow]);
  });
});
