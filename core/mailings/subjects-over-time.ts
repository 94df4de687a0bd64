import type { Sql } from '../../db/sql.ts';
import { ofUser } from '../sending/of-user.ts';

/** How many people had opened, or clicked, for the first time in a step of time. */
export interface FirstTimes {
  at: number;
  /** The subject's number, from 0. */
  place: number;
  people: number;
}

const EVENTS = { opens: 'core_open', clicks: 'core_click' } as const;

/** By subject, when people opened or clicked first, in steps of so many seconds: the sum of a subject is how many of its recipients did. Programs are left out. */
export function firstTimesBySubject(sql: Sql, mailingId: number, kind: keyof typeof EVENTS, step: number): Promise<FirstTimes[]> {
  return sql<FirstTimes>(
    `with first as (
       select user_id, min(created_at) as at from ${EVENTS[kind]} where mailing_id = $1 and not machine group by user_id)
     select date_part('epoch', date_bin(make_interval(secs => $2), first.at, to_timestamp(0))) as at,
       coalesce(l.position % (select count(*) from core_mailingsubject where mailing_id = $1), 0)::int as place, count(*)::int as people
     from first left join send_record l on ${ofUser('l', 'first.user_id')} and l.mailing_id = $1
     group by 1, 2 order by 1`,
    [mailingId, step],
  );
}
