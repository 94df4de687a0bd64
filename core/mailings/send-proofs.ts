import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type CompiledMailing, type Outcome, type Relay, RenderError } from '../../mail/contracts.ts';
import type { CoreDeps } from '../deps.ts';
import { NEVER_MAILED, neverMailed } from '../people/never-mailed.ts';
import { RelayDownError } from '../people/send-once.ts';
import { goneSoFar, nobodyWentSince } from '../people/who-went.ts';
import { readContent } from '../sending/content.ts';
import { mailSettings } from '../sending/mail-settings.ts';
import { recipientColumns } from '../sending/recipient-columns.ts';
import { relayFor } from '../sending/relay-chain.ts';
import { type ReportValues, readReportValues } from '../sending/report-values.ts';
import { whileAwake } from '../sending/while-awake.ts';
import {
  beginProofs,
  countProof,
  finishProofs,
  MAY_NOT_PROOF,
  mayStillProof,
  nextReviewer,
  type ProofJob,
  proofsSent,
  proofsWait,
} from './proof-job.ts';
import { readSamples } from './proof-samples.ts';

const ERASED_MEANWHILE = 'they were erased meanwhile';
const RELAY_DOWN = 'the relay is not taking mail';

type Deps = Pick<CoreDeps, 'pool' | 'env' | 'relay' | 'log'>;
type Samples = Awaited<ReturnType<typeof readSamples>>;

interface Prepared {
  mail: CompiledMailing;
  relay: Relay;
  samples: Samples;
  /** Of the reports that the mailing shows. */
  values: ReportValues;
  /** `goneSoFar` before all of it was read. */
  gone: string | null;
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
  // Its end may have been recorded by an attempt that died before it could answer.
  if (!job) return proofsSent(pool, jobId);
  let prepared = await prepare(deps, mailingId, job);
  let { sent } = job;
  let done = sent + job.errors.length;
  const refused = async ({ values }: Prepared) => {
    if (!values.errors.length) return false;
    await inOneTransaction(pool, async (sql) => finishProofs(sql, jobId, done, await values.told(sql, values.errors)));
    return true;
  };
  if (await refused(prepared)) return job.sent;
  const ofEach = prepared.samples.length;
  const unwanted = await neverMailed(sqlOn(pool), job.reviewers);
  const all = job.reviewers.length;
  // One for each reviewer, then the next for each: places of reviewers stay, and of samples there may be others when it is tried again.
  for (let number = done; number < all * ofEach; number++) {
    await beforeEach();
    if (!(await mayStillProof(pool, jobId))) {
      await finishProofs(sqlOn(pool), jobId, done, [MAY_NOT_PROOF]);
      return sent;
    }
    const [index, n] = [number % all, Math.floor(number / all)];
    // Who stood still over one has been given up: another attempt is at them, and somebody may have been erased since.
    const outcome = await whileAwake(async (isAwake) => {
      // Somebody was erased: they may be among those whom proofs are made for, stand in what is shown, or be who gets one.
      if (!(await nobodyWentSince(sqlOn(pool), prepared.gone))) prepared = await prepare(deps, mailingId, job);
      if (await refused(prepared)) return null;
      const reviewer = await nextReviewer(pool, jobId, index, number, job.tries);
      return sendOne(prepared, { reviewer, n, unwanted, name: `${job.name}-${number}`, isAwake });
    });
    if (!outcome) return sent;
    if (outcome.kind === 'unsent') {
      await inOneTransaction(pool, async (sql) => proofsWait(sql, jobId, `${RELAY_DOWN}: ${await keptWords(sql, prepared, outcome)}`));
      throw new RelayDownError(`${RELAY_DOWN}: ${outcome.reply}`);
    }
    done = number + 1;
    if (outcome.kind === 'accepted') {
      sent++;
      await countProof(sqlOn(pool), jobId, done, null);
    } else
      await inOneTransaction(pool, async (sql) =>
        countProof(sql, jobId, done, `proof ${n + 1} for reviewer ${index + 1}: ${await keptWords(sql, prepared, outcome)}`),
      );
  }
  await finishProofs(sqlOn(pool), jobId, done, ofEach === 0 ? ['nobody is in the saved set'] : []);
  return sent;
}

/** What was said of a proof, as it may be written down in the transaction `sql` runs in. */
const keptWords = async (sql: Sql, { gone }: Prepared, { reply }: { reply: string }): Promise<string> =>
  (await nobodyWentSince(sql, gone)) ? reply : 'why is not kept, since somebody was erased meanwhile';

async function prepare(deps: Deps, mailingId: number, job: ProofJob): Promise<Prepared> {
  const { pool, env } = deps;
  const gone = await goneSoFar(sqlOn(pool));
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
  return { mail, relay, samples, values, gone };
}

interface OneProof {
  /** Null where they were erased. */
  reviewer: string | null;
  /** Which of the samples. */
  n: number;
  unwanted: (address: string) => boolean;
  name: string;
  isAwake: () => boolean;
}

async function sendOne(
  { mail, relay, samples }: Prepared,
  { reviewer, n, unwanted, name, isAwake }: OneProof,
): Promise<Outcome | { kind: 'failed'; reply: string }> {
  const sample = samples[n];
  if (reviewer === null || !sample) return { kind: 'failed', reply: ERASED_MEANWHILE };
  if (unwanted(reviewer)) return { kind: 'failed', reply: NEVER_MAILED };
  try {
    return await relay.send(mail.renderProof({ ...sample, position: n }, reviewer, name), isAwake, true);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return { kind: 'failed', reply: error.message };
  }
}
