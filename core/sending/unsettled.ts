import type { Sql } from '../../db/sql.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';

/** Of a mailing, of how many people nobody knows whether they got it. */
export interface Unsettled {
  mailing_id: number;
  uncertain: number;
}

/** So many that have ended are looked at: in all there ever were it would be looked for at each scrape. */
const NEWEST_ENDED = 100;

const UNSETTLED = `
  select s.mailing_id, sum(s.uncertain)::int as uncertain
  from (select id from core_mailing where status = any($1::text[])
    union all (select id from core_mailing where status in ('completed', 'stopped', 'died') and not hidden order by id desc limit $2)) m
    join send_shard s on s.mailing_id = m.id
  group by s.mailing_id having sum(s.uncertain) > 0`;

/** Of mailings on their way, and of the newest that have ended: until somebody has settled them or put the mailing into the archive. */
export const readUnsettled = (sql: Sql): Promise<Unsettled[]> => sql<Unsettled>(UNSETTLED, [UNDER_WAY, NEWEST_ENDED]);
