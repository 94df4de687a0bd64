import { MESSAGE, type SendProgress, workflowId } from '../../workflows/contracts.ts';
import { PATIENCE_MS } from '../asked-run.ts';
import type { ApiContext } from '../deps.ts';

/** A commit may take its time; then nothing is sent, and who watches shall know why. */
const UNCONFIRMED_MS = 3_000;

/** What the run of a mailing that is being sent says of itself; null when there is none or no worker answers within a second. */
export function readLive({ workflows }: ApiContext, mailingId: number): Promise<SendProgress | null> {
  return workflows.query<SendProgress>(workflowId.sendMailing(mailingId), MESSAGE.progress, PATIENCE_MS);
}

/** Why nobody can be mailed while the database confirms no change; null while it does, and for the first seconds. */
export async function readHold({ database }: ApiContext): Promise<SendProgress['pause']> {
  const ms = await database.unconfirmedForMs(PATIENCE_MS);
  if (ms < UNCONFIRMED_MS) return null;
  const reason = `the database has not confirmed a change for ${Math.floor(ms / 1000)} s: its synchronous standby may be away`;
  return { reason, until: new Date(Date.now() + PATIENCE_MS).toISOString() };
}
