import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type CompiledMailing, type Mail, type Outcome, type Relay, RenderError } from '../../mail/contracts.ts';
import type { CoreDeps } from '../deps.ts';
import { NEVER_MAILED, neverMailed } from '../people/never-mailed.ts';
import { RelayDownError } from '../people/send-once.ts';
import { readContent } from '../sending/content.ts';
import { mailSettings } from '../sending/mail-settings.ts';
import { recipientColumns } from '../sending/recipient-columns.ts';
import { relayFor } from '../sending/relay-chain.ts';
import { type ReportValues, readReportValues } from '../sending/report-values.ts';
import { beginProofs, countProofs, finishProofs, type ProofJob, proofsWait } from './proof-job.ts';
import { readSamples } from './proof-samples.ts';

/** More than any job has, so that each proof ever sent has a number of its own. */
const PROOFS_OF_A_JOB = 100_000;

type Deps = Pick<CoreDeps, 'pool' | 'env' | 'relay' | 'log'>;
type Samples = Awaited<ReturnType<typeof readSamples>>;

interface Prepared {
  mail: CompiledMailing;
  relay: Relay;
  samples: Samples;
  /** Of the reports that the mailing shows. */
  values: ReportValues;
}

/**
 * Sends what is left of a proof request and counts it as it goes, so that a retry goes on where the last attempt was.
 * @param beforeEach may reject: whoever called the request off has it recorded as failed
 * @returns how many were sent in all
 * @throws RelayDownError while the relay takes no mail
 */
export async function sendProofs(deps: Deps, mailingId: number, jobId: number, beforeEach: () => Promise<void>): Promise<number> {
  const { pool } = deps;
  const job = await beginProofs(pool, jobId);
  if (!job) return 0;
  const { mail, relay, samples, values } = await prepare(deps, mailingId, job);
  if (values.errors.length) {
    await inOneTransaction(pool, async (sql) => finishProofs(sql, jobId, await values.told(sql, values.errors)));
    return job.sent;
  }
  let { sent } = job;
  const { errors } = job;
  if (samples.length === 0) errors.push('nobody is in the saved set');
  const unwanted = await neverMailed(sqlOn(pool), job.reviewers);
  for (const [index, reviewer] of job.reviewers.entries()) {
    for (const [n, sample] of samples.entries()) {
      const number = index * samples.length + n;
      if (number < sent + errors.length) continue;
      await beforeEach();
      const outcome = unwanted(reviewer)
        ? ({ kind: 'failed', reply: NEVER_MAILED } as const)
        : await sendOne(relay, () => mail.renderProof({ ...sample, position: n }, reviewer, jobId * PROOFS_OF_A_JOB + number));
      if (outcome.kind === 'unsent') {
        const reason = `the relay is not taking mail: ${outcome.reply}`;
        await proofsWait(pool, jobId, reason);
        throw new RelayDownError(reason);
      }
      if (outcome.kind === 'accepted') sent++;
      else errors.push(`proof ${n + 1} for reviewer ${index + 1}: ${outcome.reply}`);
      await countProofs(pool, jobId, number + 1, sent, errors);
    }
  }
  await finishProofs(sqlOn(pool), jobId, errors);
  return sent;
}

async function prepare(deps: Deps, mailingId: number, job: ProofJob): Promise<Prepared> {
  const { pool, env } = deps;
  const frozen = await readContent(pool, mailingId, env.DEFAULT_FROM);
  const values = await readReportValues(deps, mailingId);
  const content = {
    ...values.put(frozen.content),
    subjects: frozen.content.subjects.map((subject) => `[PROOF] ${subject}`),
    pretendDate: job.pretend_date,
  };
  const mail = compileOnce(content, mailSettings(env));
  const relay = await relayFor(deps, content.from);
  const samples = await readSamples(deps, mailingId, job, recipientColumns(mail), frozen.content.mergefile?.columns);
  return { mail, relay, samples, values };
}

async function sendOne(relay: Relay, render: () => Mail): Promise<Outcome | { kind: 'failed'; reply: string }> {
  try {
    return await relay.send(render(), undefined, true);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { kind: 'failed', reply: error.message };
  }
}
