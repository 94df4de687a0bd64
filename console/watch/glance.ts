import type { ApiContext } from '../../api/deps.ts';
import { readState } from '../../core/mailings/counts.ts';
import type { ListedMailing } from '../../core/mailings/list-mailings.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { inTime } from '../../domain/in-time.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { type Condition, conditionOf } from './condition.ts';
import { observedSends, readWatch } from './read-watch.ts';

/** How long is waited for what runs say of themselves: a page is to be painted soon, and what keeps it up to date has the time. */
export const WAITS_MS = { page: 150, live: 2_000 };

/** A run is at work on it, and may say more than its status does. */
const isAtWork = (status: MailingStatus): boolean => UNDER_WAY.includes(status) && status !== 'scheduled';

/**
 * Where a mailing stands, for the head of a page about it. Of one that no run is at work on, nor a schedule, the database knows it all.
 * @param known what was read of it already
 */
export async function conditionSoon(
  context: ApiContext,
  id: number,
  { status, stopping }: Pick<Condition, 'status' | 'stopping'>,
): Promise<Condition> {
  if (isAtWork(status) || status === 'recurring') return (await glance(context, id, WAITS_MS.page)) ?? { status, stopping };
  const state = status === 'completed' ? await readState(context.pool, id) : null;
  return { status, stopping, uncertain: state?.uncertain };
}

/** Where it stands by its row: for who shows nothing of it, or keeps others waiting meanwhile. */
export const conditionInRow = async (
  _context: ApiContext,
  _id: number,
  { status, stopping }: Pick<Condition, 'status' | 'stopping'>,
): Promise<Condition> => ({ status, stopping });

/** Where the mailings of a list stand: those that runs are at work on are all asked at once, of the others their rows say it. */
export async function conditionsOf(
  context: ApiContext,
  mailings: readonly ListedMailing[],
  waitsMs: number,
): Promise<ReadonlyMap<number, Condition>> {
  const conditions = mailings.map(async ({ id, status, stop_requested: stopping, uncertain }) => {
    const found = isAtWork(status) ? await glance(context, id, waitsMs) : null;
    return [id, found ?? { status, stopping, uncertain }] as const;
  });
  return new Map(await Promise.all(conditions));
}

/**
 * Asks its run, and where that has not answered by then says what was seen last; the answer is remembered when it comes.
 * Null when the mailing was deleted in between.
 */
async function glance(context: ApiContext, id: number, waitsMs: number): Promise<Condition | null> {
  const asked = readWatch(context, id).then(({ condition }) => condition, gone);
  const answered = await inTime(asked, waitsMs, undefined);
  return answered === undefined ? seenLast(context, id) : answered;
}

async function seenLast(context: ApiContext, id: number): Promise<Condition | null> {
  const state = await readState(context.pool, id);
  if (!state) return null;
  const { pause, silentForMs } = observedSends(context).recall(id, state);
  return conditionOf({ state, pause }, silentForMs, context.workflows.isAway);
}

function gone(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}
