import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { readSamples } from '../../core/mailings/proof-samples.ts';
import { readContent } from '../../core/sending/content.ts';
import { recipientColumns } from '../../core/sending/recipient-columns.ts';
import { readReportValues } from '../../core/sending/report-values.ts';
import { relayFor } from '../../core/sending/signing.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type Outcome, RenderError } from '../../mail/contracts.ts';
import type { SendProofsInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';

/** More than any job has, so that each proof ever sent has a number of its own. */
const PROOFS_OF_A_JOB = 100_000;

/** An address, taken out of what the relay says of it: the text is for whoever reads it, and outlives the person. */
const without = (address: string, words: string): string => words.replaceAll(new RegExp(address.replace(/[^\w@]/g, '\\$&'), 'gi'), '…');

export type ProofActivities = ReturnType<typeof createProofActivities>;

export function createProofActivities(deps: ActivityDeps) {
  const { pool, env } = deps;

  return {
    /**
     * Sends what is left of a proof request and counts it as it goes, so that a retry goes on where the last attempt was.
     * @returns how many were sent in all
     */
    async sendProofMails({ mailingId, jobId }: SendProofsInput): Promise<number> {
      const { rows } = await pool.query(
        `update core_mailingproof set started_at = coalesce(started_at, now()) where id = $1 and not finished
          returning reviewers, proofs, proof_users, made_up, pretend_date::text, sent, errors`,
        [jobId],
      );
      const job = rows[0];
      if (!job) return 0;
      const frozen = await readContent(pool, mailingId, env.DEFAULT_FROM);
      const values = await readReportValues(deps, mailingId);
      const content = {
        ...values.put(frozen.content),
        subjects: frozen.content.subjects.map((subject) => `[PROOF] ${subject}`),
        pretendDate: job.pretend_date,
      };
      let { sent } = job as { sent: number };
      const errors: string[] = job.errors;
      const mail = compileOnce(content, { baseUrl: env.BASE_URL, mailDomain: env.MAIL_DOMAIN, secretKey: env.SECRET_KEY });
      const relay = await relayFor(deps, content.from);
      const samples = await readSamples(deps, mailingId, job, recipientColumns(mail), frozen.content.mergefile?.columns);
      if (values.errors.length) {
        await finish(jobId, values.errors);
        return sent;
      }
      if (samples.length === 0) errors.push('nobody is in the saved set');
      for (const [index, reviewer] of (job.reviewers as string[]).entries()) {
        for (const [n, sample] of samples.entries()) {
          const number = index * samples.length + n;
          if (number < sent + errors.length) continue;
          const context = Context.current();
          context.heartbeat();
          // Rejects: whoever called it off has the request recorded as failed.
          if (context.cancellationSignal.aborted) await context.cancelled;
          let outcome: Outcome | { kind: 'failed'; reply: string };
          try {
            outcome = await relay.send(
              mail.renderProof({ ...sample, position: n }, reviewer, jobId * PROOFS_OF_A_JOB + number),
              undefined,
              true,
            );
          } catch (error) {
            if (!(error instanceof RenderError)) throw error;
            outcome = { kind: 'failed', reply: error.message };
          }
          if (outcome.kind === 'unsent') throw ApplicationFailure.retryable(`the relay is not taking mail: ${outcome.reply}`, 'RelayDown');
          if (outcome.kind === 'accepted') sent++;
          else errors.push(`proof ${n + 1} for reviewer ${index + 1}: ${without(reviewer, outcome.reply)}`);
          await pool.query('update core_mailingproof set sent = $2, errors = $3 where id = $1 and not finished', [
            jobId,
            sent,
            JSON.stringify(errors),
          ]);
        }
      }
      await finish(jobId, errors);
      return sent;
    },

    async failProofs({ jobId, errors }: SendProofsInput & { errors: string[] }): Promise<void> {
      await finish(jobId, errors);
    },
  };

  async function finish(jobId: number, errors: string[]): Promise<void> {
    await pool.query(
      `update core_mailingproof set finished = true, success = $2::jsonb = '[]', errors = $2, finished_at = now() where id = $1 and not finished`,
      [jobId, JSON.stringify(errors)],
    );
  }
}
