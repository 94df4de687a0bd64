import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '../../config/env.ts';
import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { afterQueue, QUEUEABLE, type QueueFacts } from '../../domain/mailing-status.ts';
import { domainOf } from '../../mail/address.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import { askForOnce } from '../ask-for.ts';
import type { Asking, StartRun } from '../deps.ts';
import type { Repeatable } from '../once.ts';
import { problemOfSender } from '../senders/stored-checks.ts';
import type { TrackingSettings } from '../sending/tracked.ts';
import { checkToGoOut, keepParts } from './check-content.ts';
import { holdMailing } from './existing.ts';
import { stillWaiting } from './still-waiting.ts';
import { type BeforeQueueing, queue, takeBack } from './transitions.ts';

interface Queued {
  next: 'queued' | 'scheduled' | 'unchanged';
  queuedAt: Date;
  before: BeforeQueueing;
}

/** What somebody was shown before they said yes. */
export interface Agreed {
  /** Of the last time it was sent or scheduled, if it was. */
  queuedAt: Date | null;
  targetingVersion: number;
  savedCount: number | null;
  /** Of one that goes on: to how many; null of one that begins. */
  waiting: number | null;
  /** When it was to begin; null is at once. */
  begins: Date | null;
  /** Whether it still says what it said; asked while nobody can change it. */
  saysTheSame: () => Promise<boolean>;
}

type QueueSettings = Pick<Env, 'SENDING_ENABLED' | 'REQUIRE_DOMAIN_CHECK' | 'DOMAIN_CHECK_HOURS'> & TrackingSettings;
type SendStart = StartRun<{ mailingId: number }>;

export interface QueueDeps extends Asking<{ mailingId: number }> {
  env: QueueSettings;
}

/**
 * Sends a mailing, or schedules it; of one that was stopped or has died, what is left.
 * @param given.agreed what the caller means; where anything of it is otherwise by now it is refused
 * @param given.again of a request that may be sent again: it sends once, whatever came in between, a stop, say
 * @throws NotFoundError; InputError with what is missing or in the way; UnavailableError, and then nothing has changed, unless it is UncertainError: then what was asked for may be under way
 */
export async function queueMailing(
  deps: QueueDeps,
  id: number,
  accountId: number,
  { agreed, again }: { agreed?: Agreed; again?: Repeatable | undefined } = {},
): Promise<void> {
  let isFirst = false;
  let joins = false;
  await askForOnce(deps, again, {
    write: async (sql) => {
      isFirst = true;
      const queued = await markQueued(sql, id, accountId, deps.env, agreed);
      joins = queued.next === 'unchanged';
      return queued;
    },
    idOf: () => id,
    // A later one has nothing started but what still waits for its run.
    start: async () => {
      if (isFirst || (await waitsForRun(deps.sql, id))) await startSend(deps.start, id);
    },
    takeBack: async ({ next, queuedAt, before }, sql) => {
      if (next !== 'unchanged') await takeBack(sql, id, next, queuedAt, before);
    },
  });
  // By whoever put it there, who could not start it, or by a stop.
  if (joins && (await deps.sql('select from core_mailing where id = $1 and status = any($2::text[])', [id, QUEUEABLE])).length)
    throw new InputError({ mailing: 'It was taken off the schedule, or could not be started, in this moment: look at it again.' });
}

/** `now` is by the clock of the database: by that of a process that is ahead a mailing would go out before its time. */
type Facts = QueueFacts & { before: BeforeQueueing; now: Date };

/** What a decision about queueing is made from. @throws NotFoundError */
export async function readQueueFacts(sql: Sql, id: number, env: QueueSettings): Promise<Facts> {
  const [row] = await sql<
    Omit<QueueFacts, 'sendingEnabled' | 'scheduledFor'> &
      BeforeQueueing & { scheduledFor: string | null; fromLine: string | null; now: string }
  >(
    `select status, stop_requested as "stopRequested", html, includes, excludes, (select count(*)::int from core_mailingsubject where mailing_id = m.id) as subjects,
       coalesce(nullif(custom_fromline, ''), (select from_line from core_fromline f where f.id = fromline_id)) as "fromLine",
       fromline_id is not null or custom_fromline <> '' as "hasFromLine", query_status as "queryStatus",
       targeting_version as "targetingVersion", targeting_version_saved as "targetingVersionSaved", saved_count as "savedCount",
       rebuild_query_at_send as "rebuildQueryAtSend", scheduled_for as "scheduledFor", queued_at, queued_by_id, scheduled_by_id, hidden, finished_at, errors,
       clock_timestamp() as now
     from core_mailing m where id = $1`,
    [id],
  );
  if (!row) throw new NotFoundError();
  const asked = env.REQUIRE_DOMAIN_CHECK && row.fromLine !== null;
  const senderProblem = asked ? await problemOfSender(sql, domainOf(row.fromLine!), env.DOMAIN_CHECK_HOURS) : null;
  const sendingEnabled = env.SENDING_ENABLED;
  // Inside a transaction of the ORM times come as text.
  return {
    ...row,
    sendingEnabled,
    senderProblem,
    scheduledFor: row.scheduledFor === null ? null : new Date(row.scheduledFor),
    before: row,
    now: new Date(row.now),
  };
}

/** When it was sent or scheduled last, as `Agreed` has it. */
export const lastQueued = ({ queued_at }: BeforeQueueing): Date | null => (queued_at === null ? null : new Date(queued_at));

async function markQueued(sql: Sql, id: number, accountId: number, env: QueueSettings, agreed?: Agreed): Promise<Queued> {
  await holdAccount(sql, accountId);
  await holdMailing(sql, id);
  await keepParts(sql);
  const row = await readQueueFacts(sql, id, env);
  if (agreed && (agreed.targetingVersion !== row.targetingVersion || agreed.savedCount !== row.savedCount)) {
    throw new InputError({ targeting_version: 'The audience has changed since you looked at it: look at it again.' });
  }
  const queuedAt = row.now;
  const next = afterQueue(row, queuedAt);
  if (next !== 'unchanged') {
    // By a form that is sent again, say, or in another tab: somebody has stopped it since.
    if (agreed && agreed.queuedAt?.getTime() !== lastQueued(row.before)?.getTime())
      throw new InputError({ mailing: 'It was sent or scheduled, and stopped, since you looked at it: look at it again.' });
    // Whom somebody has let wait for it once more meanwhile, say.
    if (agreed && agreed.waiting !== (await stillWaiting(sql, id)))
      throw new InputError({ mailing: 'Others are left than there were when you looked at it: look at it again.' });
    const begins = next === 'scheduled' ? row.scheduledFor : null;
    if (agreed && agreed.begins?.getTime() !== begins?.getTime())
      throw new InputError({ scheduled_for: 'It would begin at another time than you were told: look at it again.' });
    if (agreed && !(await agreed.saysTheSame()))
      throw new InputError({ mailing: 'Its content has changed since you looked at it: look at it again.' });
    await checkToGoOut(sql, id, env);
    await queue(sql, id, next, queuedAt, accountId);
  }
  return { next, queuedAt, before: row.before };
}

const waitsForRun = async (sql: Sql, id: number): Promise<boolean> =>
  (await sql(`select from core_mailing where id = $1 and status in ('queued', 'scheduled')`, [id])).length > 0;

const TRIES = 10;
const PAUSE_MS = 100;

/**
 * Starts the run. One that is ending just now, of a mailing stopped a moment ago, has the id still; what is not started after a second is
 * started by the sweep.
 */
async function startSend(start: SendStart, mailingId: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    const outcome = await start({ mailingId });
    if (outcome === 'started' || tries === TRIES) return;
    await sleep(PAUSE_MS);
  }
}
