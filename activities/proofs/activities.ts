import { failProofs, proofsAskedBy, proofsWait } from '../../core/mailings/proof-job.ts';
import { sendProofs } from '../../core/mailings/send-proofs.ts';
import { sqlOn } from '../../db/sql.ts';
import type { SendProofsInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';
import { Held } from '../held.ts';

export type ProofActivities = ReturnType<typeof createProofActivities>;

/** Requests whose proofs one worker process sends at a time. */
export const PROOF_PLACES = 10;
/** Of one account: each may have ten thousand proofs, and a relay may take its time over every one. */
const OF_AN_ACCOUNT = PROOF_PLACES / 2;

/** Others of the account have its places: it is to be asked for again. */
export interface NoPlaceYet {
  waits: true;
}

export function createProofActivities(deps: ActivityDeps) {
  /** The accounts of those that are being sent. */
  const held = new Held<number | null>();

  return {
    /** Sends what is left of a proof request; a retry goes on where the last attempt was. @returns how many were sent in all */
    async sendProofMails({ mailingId, jobId }: SendProofsInput): Promise<number | NoPlaceYet> {
      const account = await proofsAskedBy(deps.pool, jobId);
      if (account !== null && held.count((other) => other === account) >= OF_AN_ACCOUNT) {
        await proofsWait(sqlOn(deps.pool), jobId, 'other proofs that the account asked for are being sent');
        return { waits: true };
      }
      // With a heartbeat of its own: while the relay holds a mail, too, a cancellation is to be heard.
      return held.during(account, () =>
        heartbeating(({ signal }) => sendProofs(deps, mailingId, jobId, async () => signal.throwIfAborted())),
      );
    },

    failProofs: ({ jobId, errors }: SendProofsInput & { errors: string[] }): Promise<void> => failProofs(deps.pool, jobId, errors),
  };
}
