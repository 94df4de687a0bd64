import { MESSAGE, type SendProgress, workflowId } from '../../workflows/contracts.ts';
import { PATIENCE_MS } from '../asked-run.ts';
import type { ApiContext } from '../deps.ts';

/** A commit may take its time; then nothing is sent, and who watches shall know why. */
const UNCONFIRMED_MS = 3_000;

/** What the run of a mailing that is being sent says of itself; null when there is none or no worker answers within a second. */
export function readLive({ workflows }: ApiContext, mailingId: number): Promise<SendProgress | null> {
  return workflows.query<SendProgress>(workflowId.sendMailing(mailingId), MESSAGE.progress, PATIENCE_MS);
}

/** Why nobody can be mailed while the database takes no change, or confirms none; null while it does, and for the first seconds. */
export async function readHold({ database }: ApiContext): Promise<SendProgress['pause']> {
  const hold = (reason: string) => ({ reason, until: new Date(Date.now() + PATIENCE_MS).toISOString() });
  if ((await database.state(PATIENCE_MS)) === 'read only') return hold('the database takes no changes');
  const ms = await database.unconfirmedForMs(PATIENCE_MS);
  if (ms < UNCONFIRMED_MS) return null;
  return hold(`the database has not confirmed a change for ${Math.floor(ms / 1000)} s: its synchronous standby may be away`);
}
