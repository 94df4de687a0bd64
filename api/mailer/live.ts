import { MESSAGE, type SendProgress, workflowId } from '../../workflows/contracts.ts';
import { PATIENCE_MS } from '../asked-run.ts';
import type { ApiContext } from '../deps.ts';

/** What the run of a mailing that is being sent says of itself; null when there is none or no worker answers within a second. */
export function readLive({ workflows }: ApiContext, mailingId: number): Promise<SendProgress | null> {
  return workflows.query<SendProgress>(workflowId.sendMailing(mailingId), MESSAGE.progress, PATIENCE_MS);
}
