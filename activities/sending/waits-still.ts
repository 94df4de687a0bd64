import type { Client } from '@temporalio/client';
import { MESSAGE, type SendProgress, workflowId } from '../../workflows/contracts.ts';

const ASKED_MS = 2_000;

/**
 * Whether the run of a mailing waits for a time, as it says itself: one that was reset to where it waited goes by the time the mailing had then. False where it does not
 * answer.
 */
export async function waitsForItsTime(temporal: Client, mailingId: number): Promise<boolean> {
  const handle = temporal.workflow.getHandle(workflowId.sendMailing(mailingId));
  const said = await temporal.withDeadline(Date.now() + ASKED_MS, () => handle.query<SendProgress>(MESSAGE.progress)).catch(() => null);
  return said?.phase === 'waiting' && said.pause === null;
}
