import type { Client } from '@temporalio/client';
import { MESSAGE, type SendProgress, workflowId } from '../../workflows/contracts.ts';

const ASKED_MS = 2_000;
/** After so many that did not answer no further one is asked: their workers are silent, and the others shall have their turn. */
const MOST_SILENT = 3;

/**
 * Whether the run of a mailing waits for a time, as it says itself: one that was reset to where it waited goes by the time the mailing had then. False where it does not
 * answer.
 */
export function askWhetherItWaits(temporal: Client): (mailingId: number) => Promise<boolean> {
  let silent = 0;
  return async (mailingId) => {
    if (silent >= MOST_SILENT) return false;
    const handle = temporal.workflow.getHandle(workflowId.sendMailing(mailingId));
    try {
      const { phase, pause } = await temporal.withDeadline(Date.now() + ASKED_MS, () => handle.query<SendProgress>(MESSAGE.progress));
      return phase === 'waiting' && pause === null;
    } catch {
      silent++;
      return false;
    }
  };
}
