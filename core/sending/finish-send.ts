import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import type { WrittenNotice } from '../mailings/notices/tell-submitter.ts';
import { endSend, type QueuedAt } from '../mailings/transitions.ts';
import { BUILD_SAYS_WHY } from '../targeting/rebuild-error.ts';
import { whySetFailed } from '../targeting/rebuild-job.ts';
import { endRun, hasLostCommits } from './end-run.ts';
import { LostCommitsError } from './lost-commits.ts';
import { MAILING_SAYS_WHY } from './report-values.ts';
import { acceptedInAll, settleAbandoned } from './shards.ts';

export type SendOutcome = 'completed' | 'stopped' | 'died';

/** The lease of a worker that was given up still runs: who was on the wire then can only be told after it. */
export class StillHeldError extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super('the lease of a worker that was given up still runs');
    this.waitMs = waitMs;
  }
}

/**
 * Writes how a send ended. What never began goes back to draft; what was on its way is stopped, completed or died: the last one, whatever is said, where commits were lost.
 * A mailing that somebody else has moved on since is left alone, and so is one that was queued again before this arrived.
 * @returns the notices to start, how many mails were accepted over all its runs, and whether it died though something else was said
 * @throws StillHeldError
 */
export async function finishSend(
  pool: Pool,
  mailingId: number,
  ending: { outcome: SendOutcome; reasons: string[]; queuedAt: QueuedAt },
): Promise<{ notices: WrittenNotice[]; accepted: number; lostCommits: boolean }> {
  const { outcome, queuedAt } = ending;
  const reasons = await inFull(pool, mailingId, ending.reasons);
  await endRun(pool, mailingId, queuedAt);
  const waitMs = await settleAbandoned(pool, mailingId);
  if (waitMs > 0) throw new StillHeldError(waitMs);
  const lost = await hasLostCommits(pool, mailingId, outcome === 'completed', queuedAt);
  const told = lost ? { outcome: 'died' as const, reasons: withLostCommits(reasons), queuedAt } : { outcome, reasons, queuedAt };
  const notices = await endSend(sqlOn(pool), mailingId, told);
  return { notices, accepted: await acceptedInAll(pool, mailingId), lostCommits: told.outcome !== outcome };
}

const withLostCommits = (reasons: string[]): string[] => [...new Set([...reasons, new LostCommitsError().message])];

/** Why the set built right before sending failed is in the row of that build alone, and why a report could not be read in that of the mailing; the run knows only that it is so. */
const inFull = async (pool: Pool, mailingId: number, reasons: string[]): Promise<string[]> => {
  if (reasons.includes(MAILING_SAYS_WHY)) {
    const { rows } = await pool.query<{ errors: string[] | null }>('select errors from core_mailing where id = $1', [mailingId]);
    return rows[0]?.errors ?? reasons;
  }
  if (!reasons.includes(BUILD_SAYS_WHY)) return reasons;
  const why = await whySetFailed(pool, mailingId);
  return reasons.flatMap((reason) => (reason === BUILD_SAYS_WHY ? why : [reason]));
};
