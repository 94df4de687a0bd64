import type { Env } from '../../config/env.ts';
import type { Sql } from '../../db/sql.ts';
import { clockOf } from '../../domain/clocks.ts';
import { isTimezone, lastDue } from '../../domain/recurrence.ts';
import { fragment, run, tables } from '../../entities/tables.ts';
import { active, occasionOfMailing, RECURRENCE } from './recurring.ts';

/** A time at which a recurring mailing was due and did not go out, by the clocks of its zone. */
export interface MissedTime {
  mailingId: number;
  /** `YYYY-MM-DD` */
  day: string;
  /** `HH:MM` */
  time: string;
  timezone: string;
}

const milliseconds = (moment: ReturnType<typeof fragment>) => fragment<number>`(1000 * extract(epoch from ${moment}))::float8`;

/**
 * The last time of each recurring mailing, where it is past by more than SCHEDULE_GRACE_MINUTES and nothing went out at it or since. One before the schedule was changed last is not
 * told: it may have been none. Nothing where nothing is sent.
 * @param only of this mailing
 */
export async function missedTimes(
  sql: Sql,
  { SENDING_ENABLED, SCHEDULE_GRACE_MINUTES }: Pick<Env, 'SENDING_ENABLED' | 'SCHEDULE_GRACE_MINUTES'>,
  only?: number,
): Promise<MissedTime[]> {
  if (!SENDING_ENABLED) return [];
  const before = fragment<Date>`clock_timestamp() - make_interval(mins => ${SCHEDULE_GRACE_MINUTES}::int)`;
  const since = fragment<Date>`greatest(r.updated_at, last.created_at)`;
  const copies = tables.selectFrom('core_mailing as k').leftJoin('core_recurringcopy as c', 'c.mailing_id', 'k.id');
  const last = copies.whereRef('k.recurring_source_mailing_id', '=', fragment.ref('m.id')).select(['k.created_at', 'c.occasion']);
  const found = active
    .leftJoinLateral(last.orderBy('k.id', 'desc').limit(1).as('last'), (join) => join.onTrue())
    .where(fragment<boolean>`${since} < ${before}`)
    .select([...RECURRENCE, 'm.id as mailingId', 'last.occasion', milliseconds(since).as('since'), milliseconds(before).as('before')])
    .orderBy('m.id');
  const schedules = await run(sql, only === undefined ? found : found.where('m.id', '=', only));
  const clocks = new Map(
    [...new Set(schedules.map(({ timezone }) => timezone))].filter(isTimezone).map((timezone) => [timezone, clockOf(timezone)]),
  );
  return schedules.flatMap(({ mailingId, occasion, since, before, ...recurrence }) => {
    const clock = clocks.get(recurrence.timezone);
    if (!clock) return [];
    const due = lastDue(recurrence, before, clock);
    if (due.at <= since) return [];
    // Where the clock of Temporal is ahead it went out before. What is due every hour has the run, which ends in its time.
    const own = occasionOfMailing(mailingId, recurrence, due.occasion) ?? `-${iso(due.at).slice(0, 19)}Z`;
    if (occasion?.endsWith(own)) return [];
    const [day, time] = iso(clock(due.at)).slice(0, 16).split('T') as [string, string];
    return [{ mailingId, day, time, timezone: recurrence.timezone }];
  });
}

const iso = (moment: number): string => new Date(moment).toISOString();
