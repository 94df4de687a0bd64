import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { markDied } from '../core/mailings/transitions.ts';
import { settleAbandoned } from '../core/sending/shards.ts';
import { sqlOn } from '../db/sql.ts';
import type { MailingStatus } from '../domain/words.ts';
import { DETAILS, type JobKind, SEARCH_ATTRIBUTE, searchable, TASK_QUEUE, workflowId } from '../workflows/contracts.ts';
import { startForgottenSyncs } from './crm/sweep.ts';
import type { ActivityDeps } from './deps.ts';
import { startNotices } from './notices/write-notices.ts';
import { ensureRecurring } from './recurring.ts';

export type SweepActivities = ReturnType<typeof createSweepActivities>;

/** Younger rows are left alone: the request that wrote them is about to start their run itself. */
const GRACE = '20 seconds';

/** The sweep itself may last a minute. */
const LONGEST_WAIT_MS = 20_000;

interface Waiting {
  id: number;
  status: MailingStatus;
  queuedAt: string | null;
}

const jobInput = (jobId: number) => ({ jobId });

/** Rows of jobs about users that wait for a run. */
const USER_JOBS: {
  table: string;
  waiting: string;
  workflow: string;
  kind: JobKind;
  run: (id: number) => string;
  input: (id: number) => object;
}[] = [
  {
    table: 'core_upload',
    waiting: `status in ('new', 'importing')`,
    workflow: 'importUpload',
    kind: 'import',
    run: workflowId.importUpload,
    input: jobInput,
  },
  {
    table: 'core_transactionalmailing',
    waiting: `status in ('pending', 'sending')`,
    workflow: 'sendConfirmation',
    kind: 'confirmation',
    run: workflowId.sendConfirmation,
    input: jobInput,
  },
  {
    table: 'core_mailingnotice',
    waiting: `status in ('pending', 'sending')`,
    workflow: 'sendNotice',
    kind: 'notice',
    run: workflowId.sendNotice,
    input: jobInput,
  },
  {
    table: 'core_usermerge',
    waiting: `status = 'pending'`,
    workflow: 'mergeUsers',
    kind: 'merge',
    run: workflowId.mergeUsers,
    input: jobInput,
  },
  {
    table: 'core_erasure',
    waiting: `status = 'pending'`,
    workflow: 'eraseUser',
    kind: 'erase',
    run: workflowId.eraseUser,
    input: jobInput,
  },
  {
    table: 'core_backgroundtask',
    // Running, too: one that was ended from outside is begun anew.
    waiting: `status in ('pending', 'running')`,
    workflow: 'runReport',
    kind: 'report',
    run: workflowId.runReport,
    input: jobInput,
  },
];

export function createSweepActivities(deps: ActivityDeps) {
  const { pool, temporal, log } = deps;

  return {
    /** Starts the run of every mailing, build, proof request and CRM sync that waits for one. @returns how many were started */
    async startForgotten(): Promise<number> {
      let started = 0;
      const { rows: mailings } = await pool.query<Waiting>(
        `select id, status, queued_at::text as "queuedAt" from core_mailing where status in ('queued', 'scheduled', 'rebuilding_at_send', 'sending')
          and updated_at < now() - interval '${GRACE}'`,
      );
      for (const mailing of mailings) {
        const { id, status } = mailing;
        const ended = await endOf(workflowId.sendMailing(id));
        if (ended === 'running') continue;
        if (ended !== 'absent' && (status === 'sending' || status === 'rebuilding_at_send')) {
          await recordDeath(mailing, ended);
          continue;
        }
        started += await start('sendMailing', workflowId.sendMailing(id), id, 'send', { mailingId: id });
      }
      const { rows: jobs } = await pool.query(
        `select 'rebuild' as kind, id, mailing_id from core_mailingrebuild where not finished and created_at < now() - interval '${GRACE}'
          union all select 'proofs', id, mailing_id from core_mailingproof where not finished and created_at < now() - interval '${GRACE}'`,
      );
      for (const { kind, id, mailing_id: mailingId } of jobs) {
        const rebuild = kind === 'rebuild';
        const run = rebuild ? workflowId.rebuildTargets(mailingId, id) : workflowId.sendProofs(mailingId, id);
        const ended = await endOf(run);
        if (ended === 'running') continue;
        if (ended === 'absent') {
          started += await start(rebuild ? 'rebuildTargets' : 'sendProofs', run, mailingId, kind, { mailingId, jobId: id });
        } else {
          await markFailed(rebuild, id, mailingId, ended);
        }
      }
      started += (await ensureRecurring(deps)) + (await startForgottenUserJobs()) + (await startForgottenSyncs(deps, GRACE));
      await settleLeftBehind();
      return started;
    },
  };

  /** Jobs whose activities are safe to run again: whatever became of an earlier run, a row that still waits gets one. */
  async function startForgottenUserJobs(): Promise<number> {
    let started = 0;
    for (const { table, waiting, workflow, kind, run, input } of USER_JOBS) {
      const { rows } = await pool.query<{ id: number }>(
        `select id from ${table} where ${waiting} and updated_at < now() - interval '${GRACE}' order by id limit 1000`,
      );
      for (const { id } of rows) {
        const options = { kind, summary: `${kind} ${id}, started by the sweeper` };
        started += await startRun(workflow, run(id), input(id), options);
      }
    }
    return started;
  }

  async function startRun(type: string, id: string, input: object, { kind, summary }: { kind: JobKind; summary: string }): Promise<number> {
    try {
      await temporal.workflow.start(type, {
        workflowId: id,
        taskQueue: TASK_QUEUE.campaign,
        args: [input],
        typedSearchAttributes: [{ key: SEARCH_ATTRIBUTE.jobKind, value: kind }],
        staticSummary: summary,
        staticDetails: DETAILS[type],
      });
      log.warn({ workflowId: id }, 'started a run that was asked for and had not begun');
      return 1;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 0;
      throw error;
    }
  }

  /** How the last run under this id ended: its closing status in lower case, `running`, or `absent`. */
  async function endOf(id: string): Promise<string> {
    try {
      return (await temporal.workflow.getHandle(id).describe()).status.name.toLowerCase();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'absent';
      throw error;
    }
  }

  async function start(type: string, id: string, mailingId: number, kind: 'send' | 'rebuild' | 'proofs', input: object): Promise<number> {
    try {
      await temporal.workflow.start(type, {
        workflowId: id,
        taskQueue: TASK_QUEUE.campaign,
        args: [input],
        typedSearchAttributes: searchable(mailingId, kind),
        staticSummary: `Mailing ${mailingId}: ${kind}, started by the sweeper`,
      });
      log.warn({ workflowId: id }, 'started a run that was asked for and had not begun');
      return 1;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return 0;
      throw error;
    }
  }

  async function recordDeath({ id, status, queuedAt }: Waiting, ended: string): Promise<void> {
    const reason = `its run was ${ended} from outside`;
    startNotices(deps, await markDied(sqlOn(pool), id, { status, queuedAt, reason, unchangedFor: GRACE }));
    log.error({ mailingId: id, ended }, 'a mailing was left without a run');
  }

  /**
   * Settles what killed workers left behind in mailings that are not being sent, so that the uncertain are listed. Who was on the wire can only be told when the worker's
   * lease is over: that is waited for, and what lasts longer is left to the next sweep.
   */
  async function settleLeftBehind(): Promise<void> {
    const until = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const { rows } = await pool.query<{ id: number }>(
        `select distinct m.id from send_shard s join core_mailing m on m.id = s.mailing_id
          where s.held_until is not null and not s.finished and m.status <> 'sending'`,
      );
      let waitMs = 0;
      for (const { id } of rows) waitMs = Math.max(waitMs, await settleAbandoned(pool, id));
      if (waitMs === 0 || performance.now() + waitMs > until) return;
      await sleep(waitMs + 50);
    }
  }

  async function markFailed(rebuild: boolean, jobId: number, mailingId: number, ended: string): Promise<void> {
    await pool.query(
      `update ${rebuild ? 'core_mailingrebuild' : 'core_mailingproof'} set finished = true, success = false, finished_at = now(),
        errors = $2 where id = $1 and not finished`,
      [jobId, JSON.stringify([`its run was ${ended} from outside`])],
    );
    if (rebuild) {
      await pool.query(`update core_mailing set query_status = 'failed' where id = $1 and query_status in ('queued', 'rebuilding')`, [
        mailingId,
      ]);
    }
  }
}
