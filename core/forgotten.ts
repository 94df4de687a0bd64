import type { Pool } from '../db/driver.ts';
import type { MailingStatus } from '../domain/words.ts';
import { failProofs } from './mailings/proof-job.ts';
import { notYoung } from './not-young.ts';
import { MAILS_WAIT } from './reports/report-task.ts';
import { failRebuild } from './targeting/rebuild-job.ts';

// What was asked for in the database and may have no run. Younger rows are left alone: the request that wrote them is about to start their run itself.

/** An interval, as PostgreSQL reads it. */
export const GRACE = '20 seconds';

const leftAlone = (column: string): string => notYoung(column, `interval '${GRACE}'`);

/** A mailing that somebody should be at work on. */
export interface WaitingMailing {
  id: number;
  status: MailingStatus;
  queuedAt: string | null;
  stopRequested: boolean;
  /** Its time has come a while ago, by its row. */
  overdue: boolean;
}

export async function mailingsUnderWay(pool: Pool): Promise<WaitingMailing[]> {
  const { rows } = await pool.query<WaitingMailing>(
    `select id, status, queued_at::text as "queuedAt", stop_requested as "stopRequested",
       coalesce(case status when 'scheduled' then scheduled_for when 'queued' then queued_at end < now() - interval '${GRACE}', false) as overdue
     from core_mailing where status in ('queued', 'scheduled', 'rebuilding_at_send', 'sending') and ${leftAlone('updated_at')}`,
  );
  return rows;
}

/** A build or a request for proofs that is not finished, and has a run of its own. */
export interface MailingJob {
  kind: 'rebuild' | 'proofs';
  id: number;
  mailingId: number;
  /** How often a build was begun. */
  tries: number;
}

export async function unfinishedMailingJobs(pool: Pool): Promise<MailingJob[]> {
  const { rows } = await pool.query<MailingJob>(
    `select 'rebuild' as kind, id, mailing_id as "mailingId", tries from core_mailingrebuild where not finished and not at_send and ${leftAlone('created_at')}
      union all select 'proofs', id, mailing_id, 0 from core_mailingproof where not finished and ${leftAlone('created_at')}`,
  );
  return rows;
}

/**
 * The run of a job was ended from outside, as `ended` says; or has come to its end, which its row has forgotten. Not of a build that was begun since it was looked for: somebody
 * has asked for it once more, and it has a run again.
 */
export async function failMailingJob(pool: Pool, { kind, id: jobId, mailingId, tries }: MailingJob, ended: string): Promise<void> {
  const errors = [
    ended === 'completed' ? 'the database lost commits, and with them what became of this: ask again' : `its run was ${ended} from outside`,
  ];
  await (kind === 'rebuild' ? failRebuild(pool, { mailingId, jobId, errors, nth: tries }) : failProofs(pool, jobId, errors));
}

/** Jobs whose activities are safe to run again: the workflow of each, its table, and which of its rows wait. */
const JOBS = {
  importUpload: ['core_upload', `status in ('new', 'importing')`],
  sendConfirmation: ['core_transactionalmailing', `status in ('pending', 'sending')`],
  sendNotice: ['core_mailingnotice', `status in ('pending', 'sending')`],
  mergeUsers: ['core_usermerge', `status = 'pending'`],
  eraseUser: ['core_erasure', `(status = 'pending' or to_find is not null)`],
  deleteList: ['core_listdeletion', `status = 'pending'`],
  // Running, too: one that was ended from outside is begun anew, and mailed to whom it is still to go.
  runReport: ['core_backgroundtask', `(status in ('pending', 'running') or ${MAILS_WAIT})`],
} as const;
export type JobWorkflow = keyof typeof JOBS;
export const JOB_WORKFLOWS = Object.keys(JOBS) as JobWorkflow[];

/** The ids of those that wait, those nobody has been at for longest first: what is tried again and again, while a relay is away say, keeps nobody else waiting. */
export async function waitingJobs(pool: Pool, workflow: JobWorkflow): Promise<number[]> {
  const [table, waiting] = JOBS[workflow];
  const { rows } = await pool.query<{ id: number }>(
    `select id from ${table} where ${waiting} and ${leftAlone('updated_at')} order by updated_at, id limit 1000`,
  );
  return rows.map(({ id }) => id);
}

/** Mailings that are not being sent, and in which a killed worker may have left somebody on the wire. */
export async function leftBehind(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select distinct m.id from send_shard s join core_mailing m on m.id = s.mailing_id
      where s.held_until is not null and not s.finished and m.status <> 'sending'`,
  );
  return rows.map(({ id }) => id);
}
