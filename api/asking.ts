import type { Asking, InTransaction } from '../core/deps.ts';
import type { StopDeps } from '../core/mailings/stop-mailing.ts';
import { sqlOn } from '../db/sql.ts';
import { type InputOf, MESSAGE, type RunName, startOf, workflowId } from '../workflows/contracts.ts';
import type { ApiContext } from './deps.ts';
import { inTransaction } from './in-transaction.ts';

// What use cases are handed of this process: its transactions, and the workflow service in words of theirs.

/** Transactions for use cases, on connections of the ORM. */
export const transactionOf =
  (context: ApiContext): InTransaction =>
  (work) =>
    inTransaction(context, (_em, sql) => work(sql));

/** For use cases that have a run of this workflow started. */
export const asking = <Name extends RunName>(context: ApiContext, workflow: Name): Asking<InputOf<Name>> => ({
  transaction: transactionOf(context),
  sql: sqlOn(context.pool),
  start: (input) => context.workflows.start(startOf(workflow, input)),
});

/** For a stop. */
export const stopping = ({ pool, workflows }: ApiContext): StopDeps => ({
  pool,
  tellRun: (mailingId, queuedAt) =>
    workflows.signal(workflowId.sendMailing(mailingId), MESSAGE.stop, ...(queuedAt === null ? [] : [queuedAt])),
  removeSchedule: (mailingId) => workflows.removeSchedule(workflowId.runRecurring(mailingId)),
});
