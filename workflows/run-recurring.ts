import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, proxyActivities, setCurrentDetails, startChild } from '@temporalio/workflow';
import type { RecurringActivities } from '../activities/recurring.ts';
import { numberOrNull } from './answered.ts';
import { type RunRecurringInput, startOf, startOptions, TASK_QUEUE } from './contracts.ts';
import type { sendMailing } from './send-mailing.ts';

const { copyRecurring } = proxyActivities<RecurringActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Which of them, only the database knows. */
const NOTHING =
  'Nothing to send: the mailing no longer recurs, it was given other times before this one, it has gone out for it, this time was missed by more than SCHEDULE_GRACE_MINUTES, or nothing is sent on this instance.';

/** One time of a recurring mailing: a copy of it is made and sent. @returns the id of the copy, or null when there is none to send */
export async function runRecurring(input: RunRecurringInput): Promise<number | null> {
  const { mailingId } = input;
  const copy = await numberOrNull(() => copyRecurring(input));
  if (copy === null) {
    setCurrentDetails(NOTHING);
    return null;
  }
  try {
    // It goes on when this run is over.
    await startChild<typeof sendMailing>('sendMailing', {
      ...startOptions(startOf('sendMailing', { mailingId: copy }, { summary: `Send mailing ${copy}, a copy of ${mailingId}` })),
      args: [{ mailingId: copy }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    // The sweep was first.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  setCurrentDetails(`Mailing ${copy} is the copy for this time; its own run says what became of it.`);
  return copy;
}
