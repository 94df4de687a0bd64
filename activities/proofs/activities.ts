import { failProofs } from '../../core/mailings/proof-job.ts';
import { sendProofs } from '../../core/mailings/send-proofs.ts';
import type { SendProofsInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type ProofActivities = ReturnType<typeof createProofActivities>;

export function createProofActivities(deps: ActivityDeps) {
  return {
    /** Sends what is left of a proof request; a retry goes on where the last attempt was. @returns how many were sent in all */
    async sendProofMails({ mailingId, jobId }: SendProofsInput): Promise<number> {
      // With a heartbeat of its own: while the relay holds a mail, too, a cancellation is to be heard.
      return heartbeating(({ signal }) => sendProofs(deps, mailingId, jobId, async () => signal.throwIfAborted()));
    },

    failProofs: ({ jobId, errors }: SendProofsInput & { errors: string[] }): Promise<void> => failProofs(deps.pool, jobId, errors),
  };
}
