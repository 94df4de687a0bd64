import { reportDatabaseUrl } from '../../db/report-login.ts';
import { sqlOn } from '../../db/sql.ts';
import { isDatabaseFull, isDiskAway, isDiskFull } from '../../domain/disk-full.ts';
import { rowFormat } from '../../domain/reports/formats.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { CoreDeps } from '../deps.ts';
import { NEVER_MAILED, neverMailed } from '../people/never-mailed.ts';
import { RelayDownError } from '../people/send-once.ts';
import { relayFor } from '../sending/relay-chain.ts';
import { whileAwake } from '../sending/while-awake.ts';
import { reportFiles } from './kept-report-files.ts';
import { MAY_NOT_RUN, mayStillRun } from './may-still-run.ts';
import { NoConnectionError, ReportsAwayError } from './report-bounds.ts';
import { composeReportMail } from './report-mail.ts';
import { beginReportMail, endReportMail, endTakenMail, reportMailNotSent } from './report-mails.ts';
import { streamReport } from './report-reader.ts';
import { beginReportTask, completedReportTask, completeReportTask, noteWaiting, resultFile } from './report-task.ts';

type Deps = Pick<CoreDeps, 'pool' | 'env' | 'relay'>;

/** So often a report is begun that comes neither to its end nor to an error of its own. */
const MOST_RUNS = 20;

/**
 * Runs a report into its file, from the beginning at every attempt.
 * @param begun hears which beginning this is
 * @returns how many people the result is to be mailed to
 * @throws StatementError when the statement itself is at fault, or has been begun too often, or its account may not run it any more
 */
export async function runReportTask(
  { pool, env }: Deps,
  taskId: number,
  signal: AbortSignal,
  begun: (nth: number) => void = () => {},
): Promise<number> {
  const task = await beginReportTask(pool, taskId);
  // Its end may have been recorded by an attempt that died before it could answer: nobody has been mailed then.
  if (!task) return (await completedReportTask(pool, taskId))?.emails.length ?? 0;
  begun(task.nth);
  // Waiting for a place is an attempt to the workflow service, and none to us.
  if (task.runs > MOST_RUNS) throw new StatementError('The report could not be run.');
  if (!(await mayStillRun(pool, taskId))) throw new StatementError(`It is not run: ${MAY_NOT_RUN}.`);
  const waits = async (error: unknown): Promise<never> => {
    const disk = diskProblem(error);
    const reason = disk ?? (error instanceof ReportsAwayError ? error.message : null);
    if (reason !== null)
      await noteWaiting(pool, taskId, task, `It is tried again: ${reason}`, disk === null && !(error instanceof NoConnectionError));
    throw error;
  };
  const report = await streamReport(task.statement, rowFormat(task.format), {
    reportDatabaseUrl: reportDatabaseUrl(env),
    timeoutMs: env.BACKGROUND_REPORT_TIMEOUT_MS,
    maxRows: env.BACKGROUND_REPORT_MAX_ROWS,
    maxMb: env.BACKGROUND_REPORT_MAX_MB,
    memoryMb: env.REPORT_MEMORY_MB,
    signal,
  }).catch(waits);
  const { bytes, keep, drop } = await reportFiles({ env, pool })
    .draft(resultFile(taskId, task.format), report.text)
    .catch((error) => {
      // Where nothing could be begun nobody reads it: its connection would be held for as long as a report may take.
      report.text.destroy();
      return waits(error);
    });
  try {
    const completed = completeReportTask(pool, taskId, { nth: task.nth, rows: report.rows(), bytes }, keep).catch(waits);
    return (await completed) ? task.emails.length : 0;
  } finally {
    await drop();
  }
}

function diskProblem(error: unknown): string | null {
  if (isDiskFull(error) || isDatabaseFull(error)) return 'there is no room left on the disk for its result.';
  return isDiskAway(error) ? 'the disk for its result cannot be written to.' : null;
}

/**
 * Mails the result to one of the addresses, once. What the relay refuses or leaves uncertain is written to the task.
 * @throws RelayDownError while the relay certainly does not have it, to be tried later
 */
export async function mailReport(deps: Deps, taskId: number, index: number): Promise<void> {
  const { pool, env } = deps;
  const task = await completedReportTask(pool, taskId);
  const email = task?.emails[index];
  if (!task || !email) return;
  if (!(await mayStillRun(pool, taskId))) return endReportMail(pool, taskId, index, `skipped: ${MAY_NOT_RUN}`);
  if ((await neverMailed(sqlOn(pool), [email]))(email)) return endReportMail(pool, taskId, index, `skipped: ${NEVER_MAILED}`);
  const file = await reportFiles({ env, pool }).read(resultFile(taskId, task.format));
  const mail = await composeReportMail({ jobId: taskId, index, ...task, email, rows: task.row_count ?? 0 }, file, env);
  const relay = await relayFor(deps, env.DEFAULT_FROM);
  // Who stood still over it has been given up: somebody in the result may have been erased since.
  const sent = await whileAwake(async (isAwake) => {
    const at = await beginReportMail(pool, taskId, index, task.nth);
    return at === null ? null : { at, outcome: await relay.send(mail, isAwake, true) };
  });
  if (!sent) return;
  const { at, outcome } = sent;
  if (outcome.kind === 'unsent' || outcome.kind === 'deferred') {
    await reportMailNotSent(pool, taskId, index, at);
    throw new RelayDownError(`the relay is not taking mail: ${outcome.reply}`);
  }
  await endTakenMail(pool, taskId, index, outcome.kind === 'accepted' ? undefined : `${outcome.kind}: ${outcome.reply}`);
}
