import { constantSql, joinSql, type Sql, sql } from '../sql.ts';
import { LEDGER_STATE } from '../words.ts';
import { type AudienceContext, clausesOf, fromMailing, type MatchField, type Side } from './compile.ts';
import { reachable } from './compile-reachable.ts';
import { ofMailings } from './compile-record.ts';
import { EVENT_MILES, type Targeting } from './fields.ts';

const SETTLED = Object.values(LEDGER_STATE).filter((state) => state !== LEDGER_STATE.pending);

/** Counts of the audience of a mailing, and the fields each of them is of. */
export interface Explanation {
  /** One row: `looked_at` (people, before any question; null where all were), `reachable`, `included`, `excluded`, `settled`, `left_over`, and `c0`, `c1` … in the order of `clauses`. */
  query: Sql;
  clauses: { side: Side; field: MatchField }[];
}

/**
 * Counts who is meant by each clause, alone, among those who can be mailed at all; by all includes together (and the mailing's page and file); by any exclude
 * among these; and who is left, without those this mailing has a settled row of. What is asked of people's own rows is asked once of each; each set elsewhere is
 * joined with them once; what was found of somebody comes together as bits of a number. As with the audience, the people of MEMBER_SOURCE's fields have to be
 * staged.
 * @param percent only so many of the pages people are stored on are looked at; all when absent
 */
export function compileExplanation(includes: Targeting, excludes: Targeting, mailing: AudienceContext, percent?: number): Explanation {
  const context = { ...mailing, few: percent !== undefined };
  const sides = { includes: clausesOf(includes, 'includes', context), excludes: clausesOf(excludes, 'excludes', context) };
  const clauses = (['includes', 'excludes'] as const).flatMap((side) => sides[side].map((clause) => ({ side, ...clause })));
  const own = fromMailing(context);
  const settled = sql`exists (select from ${ofMailings(sql`any(array[${context.mailingId}::int])`, sql`any(${SETTLED}::int[])`, context.few)})`;
  const marks: { holds: Sql; elsewhere: boolean }[] = [
    ...clauses.map(({ meant, elsewhere }) => ({ holds: meant, elsewhere })),
    { holds: settled, elsewhere: true },
    ...own.map((holds) => ({ holds, elsewhere: true })),
  ];
  const bit = (index: number) => 2n ** BigInt(index);
  const bitsOf = (indexes: number[]) => indexes.reduce((sum, index) => sum + bit(index), 0n);
  const of = (side: Side) => clauses.flatMap((clause, index) => (clause.side === side ? [index] : []));
  const [isSettled, ofMailing] = [bit(clauses.length), own.map((_, index) => clauses.length + 1 + index)];
  const wanted = bitsOf([...of('includes'), ...ofMailing]);
  const unwanted = bitsOf(of('excludes'));

  const asked = marks.flatMap(({ holds, elsewhere }, index) =>
    elsewhere ? [] : [sql`case when ${holds} then ${constantSql(`${bit(index)}`)}::bigint else 0 end`],
  );
  const found = marks.flatMap(({ holds, elsewhere }, index) =>
    elsewhere ? [sql`select u.id, ${constantSql(`${bit(index)}`)}::bigint from people u where ${holds}`] : [],
  );
  const among = percent === undefined ? sql`core_user u` : sql`core_user u tablesample system (${percent}::real) repeatable (1)`;
  const lookedAt = percent === undefined ? sql`null::int` : sql`(select count(*)::int from ${among})`;
  const count = (condition: string, name: string) => `count(*) filter (where ${condition})::int as ${name}`;
  const included = `bits & ${wanted} = ${wanted}`;
  const counts = [
    'count(*)::int as reachable',
    count(included, 'included'),
    count(`${included} and bits & ${unwanted} <> 0`, 'excluded'),
    count(`${included} and bits & ${unwanted} = 0 and bits & ${isSettled} <> 0`, 'settled'),
    count(`${included} and bits & ${unwanted | isSettled} = 0`, 'left_over'),
    ...clauses.map((_, index) => count(`bits & ${bit(index)} <> 0`, `c${index}`)),
  ];
  const query = sql`with people as materialized (
      select u.id, ${joinSql([sql`0::bigint`, ...asked], ' + ')} as bits from ${among} where ${joinSql(reachable(context), ' and ')})
    select ${lookedAt} as looked_at, ${constantSql(counts.join(', '))}
    from (select id, bit_or(bits) as bits from (${joinSql([sql`select id, bits from people`, ...found], ' union all ')}) marks group by id) people`;
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
