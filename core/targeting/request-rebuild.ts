import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { checkRebuild } from '../../domain/mailing-status.ts';
import { checkModifiers } from '../../domain/targeting/change.ts';
import type { TargetingSettings } from '../../domain/targeting/fields.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import { askForOnce } from '../ask-for.ts';
import type { Asking } from '../deps.ts';
import { checkContent } from '../mailings/check-content.ts';
import { forgetPush, type Repeatable } from '../once.ts';
import { askAgain, type BeforeRebuild, takeRebuildBack, writeRebuildJob } from './rebuild-job.ts';

export interface RebuildWish {
  mailingId: number;
  jobId: number;
}

export interface RebuildAsked {
  mailingId: number;
  /** Who asks: one account has one build at a time in a worker. */
  accountId: number;
  fast?: boolean;
  /** Of a request that may be sent again. */
  again?: Repeatable | undefined;
}

/**
 * Has the set of users built, or joins the build that is under way: of one that is joined the run is started as well, since it may have been lost between the row and the start.
 * @returns the id of the job
 * @throws NotFoundError; InputError where the status or the targeting forbids it; UnavailableError, and then nothing has changed, unless it is UncertainError: then what was asked for may be under way
 */
export async function requestRebuild(deps: Asking<RebuildWish>, asked: RebuildAsked): Promise<number> {
  const { mailingId, accountId, fast = false, again } = asked;
  let joins = false;
  const jobId = await askForOnce(deps, again, {
    write: async (sql) => {
      const joined = await join(sql, mailingId, fast, accountId);
      joins = joined.before === null;
      return joined;
    },
    idOf: ({ jobId }) => jobId,
    start: (jobId) => deps.start({ mailingId, jobId }),
    takeBack: async (asked, sql) => {
      if (asked.before) await takeRebuildBack(sql, mailingId, asked.jobId, asked.before);
    },
  });
  if (!joins || (await deps.sql('select from core_mailingrebuild where id = $1', [jobId])).length) return jobId;
  // Whoever asked for it could not start it, and has taken it back, while this one could.
  if (again) await forgetPush(deps.sql, again, jobId);
  return requestRebuild(deps, asked);
}

/** Two requests at once ask for one build: the index on unfinished builds lets one row in, and the row of the mailing is held by the first. */
async function join(sql: Sql, id: number, fast: boolean, accountId: number): Promise<{ jobId: number; before: BeforeRebuild | null }> {
  await holdAccount(sql, accountId);
  const [mailing] = await sql<BeforeRebuild & Pick<TargetingSettings, 'includes' | 'excludes'> & { status: MailingStatus }>(
    'select status, includes, excludes, query_status as "queryStatus", query_queued_at as "queryQueuedAt" from core_mailing where id = $1 for update',
    [id],
  );
  if (!mailing) throw new NotFoundError();
  checkRebuild(mailing.status);
  checkModifiers(mailing);
  await checkContent(sql, id, ['landing_page']);
  const [running] = await sql<{ id: number }>('select id from core_mailingrebuild where mailing_id = $1 and not at_send and not finished', [
    id,
  ]);
  if (running) {
    await askAgain(sql, id, running.id);
    return { jobId: running.id, before: null };
  }
  return { jobId: await writeRebuildJob(sql, id, fast, accountId), before: mailing };
}
