import type { Sql } from '../../db/sql.ts';
import { STANCES } from '../../domain/words.ts';

/** A whip count, as it is listed. */
export interface ListedCount {
  id: number;
  name: string;
  title: string;
  calls: number;
  callers: number;
  targets: number;
}

/** What callers reported of one target. */
export interface TargetTotals extends Record<(typeof STANCES)[number], number> {
  id: number;
  name: string;
  party: string;
  state: string;
  seat: string;
  calls: number;
  /** Responses in other words than the built-in ones. */
  other: number;
  /** Where the target stands: an administrator's word, else what enough callers agree on; null where they do not. */
  stance: string | null;
  /** By an administrator's word. */
  overridden: boolean;
}

/** A page of the whip counts that are not hidden, the newest first, with how many calls were reported. @param before the id of the last one of the page before */
export function listCounts(sql: Sql, { before, limit }: { before: number | null; limit: number }): Promise<ListedCount[]> {
  return sql<ListedCount>(
    `select p.id, p.name, p.title, c.calls, c.callers, c.targets
     from (select id, name, title from core_page where type = 'whipcount' and not hidden and ($1::bigint is null or id < $1) order by id desc limit $2) p
       cross join lateral (
         select coalesce(sum(calls), 0)::int as calls, count(*) filter (where calls > 0)::int as targets,
           (select count(distinct user_id)::int from core_whipcountactioncalled where page_id = p.id) as callers
         from (select sum(calls) as calls from core_whipcounttally where page_id = p.id group by target_id) of_target) c
     order by p.id desc`,
    [before, limit],
  );
}

/** The page's name and title; undefined where there is no such whip count. */
export async function findCount(sql: Sql, pageId: number): Promise<{ name: string; title: string } | undefined> {
  const [page] = await sql<{ name: string; title: string }>(`select name, title from core_page where id = $1 and type = 'whipcount'`, [
    pageId,
  ]);
  return page;
}

const sumOf = (which: string) => `coalesce(sum(reports) filter (where ${which}), 0)::int`;
const SAID = STANCES.map((stance) => `${sumOf(`response = '${stance}'`)} as ${stance}`).join(', ');

/**
 * Every target that somebody reported about or an administrator has spoken of, by seat, as calls are counted. The stance is by the rules of the report
 * whipcount_stance_per_target.
 */
export function targetTotals(sql: Sql, pageId: number): Promise<TargetTotals[]> {
  return sql<TargetTotals>(
    `with said as (
       select target_id, response, sum(calls)::int as reports from core_whipcounttally where page_id = $1 group by 1, 2 having sum(calls) <> 0),
     counted as (
       select target_id, sum(reports)::int as calls, ${SAID}, ${sumOf('response <> all ($2::text[])')} as other from said group by target_id),
     most as (
       select distinct on (target_id) target_id, word as response, reports
       -- What an erasure has emptied was a call, and says nothing.
       from (select *, rank() over (partition by target_id order by reports desc) as place from said where response <> core_whipcount_said('')) s, lateral (
         -- What is no stance is counted by its digest: the words are looked up where most callers gave them.
         select response as word where response = any($2::text[])
         union all
         (select lower(trim(a.response)) from core_whipcountactioncalled a where s.response <> all ($2::text[]) and a.page_id = $1 and a.target_id = s.target_id
            and core_whipcount_said(a.response) = s.response limit 1)) w
       where place = 1 order by target_id, word),
     spoken as (select target_id, stance from core_whipcountoverride where page_id = $1)
     select t.id, concat_ws(' ', nullif(t.title, ''), nullif(t.first, ''), nullif(t.last, '')) as name, t.party, t.state, t.seat, coalesce(c.calls, 0) as calls,
       ${STANCES.map((stance) => `coalesce(c.${stance}, 0) as ${stance}`).join(', ')}, coalesce(c.other, 0) as other,
       coalesce(spoken.stance, case when c.calls >= f.minimum_calls and most.reports >= c.calls * f.minimum_response_agreement then most.response end) as stance,
       spoken.stance is not null as overridden
     from core_target t left join counted c on c.target_id = t.id left join most on most.target_id = t.id left join spoken on spoken.target_id = t.id
       left join core_whipcountform f on f.page_id = $1
     where t.id in (select target_id from counted union select target_id from spoken) order by t.seat, t.id`,
    [pageId, STANCES],
  );
}
