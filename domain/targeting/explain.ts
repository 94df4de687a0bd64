import { constantSql, joinSql, type Sql, sql } from '../sql.ts';
import { type AudienceContext, clausesOf, fromMailing, type MatchField, REACHABLE, type Side } from './compile.ts';
import { EVENT_MILES, type Targeting } from './fields.ts';

/** Counts of the audience of a mailing, and the fields each of them is of. */
export interface Explanation {
  /** One row: `reachable`, `included`, `excluded`, `left_over`, and `c0`, `c1` … in the order of `clauses`. */
  query: Sql;
  clauses: { side: Side; field: MatchField }[];
}

/**
 * Counts who is meant by each clause, alone, among those who can be mailed at all; by all includes together (and the mailing's page and file); by any exclude
 * among these; and who is left, without those this mailing has a settled row of. Each clause is asked once for each person. As with the audience, the
 * people of MEMBER_SOURCE's fields have to be staged.
 */
export function compileExplanation(includes: Targeting, excludes: Targeting, context: AudienceContext): Explanation {
  const sides = { includes: clausesOf(includes, 'includes', context), excludes: clausesOf(excludes, 'excludes', context) };
  const clauses = (['includes', 'excludes'] as const).flatMap((side) => sides[side].map((clause) => ({ side, ...clause })));
  const named = (index: number) => `c${index}`;
  const flags = clauses.map(({ meant }, index) => sql`${meant} is true as ${constantSql(named(index))}`);
  const of = (side: Side) => clauses.flatMap((clause, index) => (clause.side === side ? [named(index)] : []));
  const included = ['own', ...of('includes')].join(' and ');
  const excluded = of('excludes').join(' or ') || 'false';
  const counts = clauses.map((_, index) => `count(*) filter (where ${named(index)})::int as ${named(index)}`);
  const query = sql`select count(*)::int as reachable, count(*) filter (where ${constantSql(included)})::int as included,
      count(*) filter (where ${constantSql(included)} and (${constantSql(excluded)}))::int as excluded,
      count(*) filter (where ${constantSql(included)} and not (${constantSql(excluded)}) and not settled)::int as left_over${constantSql(counts.map((count) => `, ${count}`).join(''))}
    from (select ${joinSql([...flags, sql`(${joinSql([sql`true`, ...fromMailing(context)], ' and ')}) as own`], ', ')},
        exists (select from send_record mine where mine.user_id = u.id and mine.mailing_id = ${context.mailingId}::int and mine.state <> 0) as settled
      from core_user u where ${joinSql([...REACHABLE], ' and ')} offset 0) people`;
  return { query, clauses: clauses.map(({ side, field }) => ({ side, field })) };
}

const SHOWN = 10;
/** Names, at most ten of them. */
const any = (values: readonly unknown[] = []): string => {
  const names = values.slice(0, SHOWN).map(String);
  if (values.length > SHOWN) return `${names.join(', ')} and ${values.length - SHOWN} more`;
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
};

const MONTHLY: Record<string, string> = {
  any: 'ever',
  active: 'now',
  expires_this_month: 'with a card that expires this month',
  expired_last_month: 'with a card that expired last month',
  canceled_last_7_days: 'until within the last 7 days',
};

/** A side as shown: by name. */
export type ShownTargeting = { [Field in keyof Targeting]: Targeting[Field] extends unknown[] | undefined ? unknown[] : Targeting[Field] };

const TEXTS: Record<MatchField, (values: unknown[], targeting: ShownTargeting) => string> = {
  users: (values) => (values.length === 1 ? 'is one person named' : `is one of ${values.length} people named`),
  lists: (values) => `is on the list ${any(values)}`,
  states: (values) => `lives in the state ${any(values)}`,
  countries: (values) => `lives in ${any(values)}`,
  regions: (values) => `lives in the region ${any(values)}`,
  zips: (values, { zip_radius: miles }) => (miles ? `lives within ${miles} miles of ${any(values)}` : `lives in the zip ${any(values)}`),
  counties: (values) => `lives in the county ${any(values)}`,
  cds: (values) => `lives in the congressional district ${any(values)}`,
  state_house_districts: (values) => `lives in the state house district ${any(values)}`,
  state_senate_districts: (values) => `lives in the state senate district ${any(values)}`,
  has_donated: ([wanted]) => (wanted ? 'has donated' : 'has not donated'),
  was_monthly_donor: (values) => `gives monthly ${any(values.map((value) => MONTHLY[String(value)]))}`,
  actions: (values) => `has taken action on the page ${any(values)}`,
  tags: (values) => `has taken action on a page tagged ${any(values)}`,
  campaigns: (values, targeting) => {
    const same = [
      targeting.campaign_samestate_only && 'state',
      targeting.campaign_same_county_only && 'county',
      targeting.campaign_same_district_only && 'congressional district',
    ].filter(Boolean);
    const within = `lives within ${targeting.campaign_radius ?? EVENT_MILES} miles of a coming event of ${any(values)}`;
    return same.length ? `${within} in the same ${same.join(' and ')}` : within;
  },
  target_groups: (values) => `is represented by a target of ${any(values)}`,
  languages: (values) => `has the language ${any(values)}`,
  mailings: (values) => `was sent the mailing ${any(values)}`,
  raw_sql: (values) => (values.length === 1 ? 'is found by an SQL statement' : `is found by one of ${values.length} SQL statements`),
  query_reports: (values) => `is found by the report ${any(values.map((value) => (value as { short_name: string }).short_name))}`,
};

/** What a clause says, as words about a person. @param targeting the side it is of, as shown */
export const describeClause = (field: MatchField, targeting: ShownTargeting): string => TEXTS[field]([targeting[field]].flat(), targeting);
