import { spellingsOf } from '../people/countries.ts';
import { lowerCase } from '../people/lower-case.ts';
import { identifier, joinSql, type Sql, sql } from '../sql.ts';
import type { MonthlyDonorState } from '../words.ts';
import { isAmong, wordsOf } from './compile-many.ts';
import { nearCampaigns, targetGroupRows } from './compile-places.ts';
import { members, reachable } from './compile-reachable.ts';
import { MAILED_BY, mergedMailings, ofMailings, oneOf } from './compile-record.ts';
import { zipCondition } from './compile-zips.ts';
import type { Modifier, Targeting, TargetingField, TargetingSettings } from './fields.ts';

/**
 * Fields whose people are staged before the audience is asked for, and what they stand under in the temporary table `target_member (source, user_id)`.
 * The statements of `raw_sql` and `query_reports` run elsewhere, under a login that may only read, and arrive as bare user ids. Who lives near an event no
 * planner can guess: taken for few, the many would each be looked up one by one in every other table. Staged and analysed, they are known.
 */
export const MEMBER_SOURCE = {
  includes: { raw_sql: 1, query_reports: 2, campaigns: 5 },
  excludes: { raw_sql: 3, query_reports: 4, campaigns: 6 },
} as const;

export type Side = keyof typeof MEMBER_SOURCE;

export interface AudienceContext {
  /** The mailing the set is for: whoever has a row in its ledger stays out, and `random` is drawn by it. */
  mailingId: number;
  /**
   * Five-digit zips of the places in a `zips` field, and of what lies within `miles` of them; null is the places alone. The compiler knows no
   * geography.
   */
  zipsAround(places: readonly string[], miles: number | null): string[];
  /** Nobody has a row in the mailing's ledger: nobody has to be looked up there. */
  anew?: boolean;
  /** Name of a table with a column `user_id`: nobody else is asked about. */
  among?: 'changed';
  /** Page whose target groups the audience has to live among (`target_group_from_landing_page`); 0 where the mailing has none: nobody does. */
  landingPage: number | null;
  /** Merge file the audience has to stand in (`target_mergefile`); 0 where the mailing has none. */
  mergefile: number | null;
  /** The statement may join by nothing but merging (canBeMerged): who is blackholed stands in `target_member` then (BLACKHOLED_STAGING). */
  merged?: boolean;
  /** Those asked about are few beside everybody: whoever has rows elsewhere is asked one by one, so that it takes no longer however many rows others have. */
  few?: boolean;
}

/**
 * How one targeting field says whom it means: a condition on the row `u` of core_user, or rows elsewhere that name the user.
 * The two are kept apart because an exclusion must be an anti-join (`not exists`): `not in` over a large list, or a null in it,
 * turns a rebuild of seconds into one of hours or into an empty set.
 */
type Match =
  | { where: Sql }
  | {
      rows: Sql;
      /** That somebody has no such row, where there is a shorter way to say it. */
      none?: Sql;
      /** Those are meant who have no such row. */
      without?: boolean;
      /** An index finds the rows of a person. */
      each?: boolean;
    };

/** What a match may know beside its own value. */
interface Around {
  side: Side;
  /** All fields of the side: modifiers are read from it. */
  targeting: Targeting;
  context: AudienceContext;
}

export type MatchField = Exclude<TargetingField, Modifier>;

const MATCHES: { [Field in MatchField]-?: (value: NonNullable<Targeting[Field]>, around: Around) => Match } = {
  users: (ids) => ({ where: sql`u.id = any(${ids}::int[])` }),
  lists: (ids) => ({ each: true, rows: sql`core_subscription x where x.user_id = u.id and x.list_id = any(${ids}::int[])` }),
  states: (codes) => ({ where: sql`upper(u.state) = any(${codes.map((code) => code.toUpperCase())}::text[])` }),
  // Forms send codes, people write names: who is left out by the one is left out by the other.
  countries: (names) => ({ where: sql`lower(u.country) = any(${lower([...names, ...names.flatMap(spellingsOf)])}::text[])` }),
  regions: (names) => ({ where: sql`lower(u.region) = any(${lower(names)}::text[])` }),
  zips: (zips, { targeting, context }) => ({ where: zipCondition(zips, targeting.zip_radius ?? null, context.zipsAround) }),
  counties: (names) => ({
    each: true,
    rows: sql`core_location x where x.user_id = u.id and lower(x.us_county) = any(${lower(names)}::text[])`,
  }),
  cds: (districts) => ({ each: true, rows: sql`core_location x where x.user_id = u.id and x.us_district = any(${districts}::text[])` }),
  state_house_districts: (districts) => ({
    each: true,
    rows: sql`core_location x where x.user_id = u.id and x.us_state_district = any(${districts}::text[])`,
  }),
  state_senate_districts: (districts) => ({
    each: true,
    rows: sql`core_location x where x.user_id = u.id and x.us_state_senate = any(${districts}::text[])`,
  }),
  has_donated: (wanted) => ({
    each: true,
    rows: sql`core_order x where x.user_id = u.id and x.status = 'completed'`,
    without: !wanted,
  }),
  was_monthly_donor: (states) => ({
    each: true,
    rows: sql`core_orderrecurring x where x.user_id = u.id and x.period = 'months' and (${joinSql(
      states.map((state) => MONTHLY_DONOR[state]),
      ' or ',
    )})`,
  }),
  actions: (pages, { context }) => {
    const acted = sql`x.status = 'complete' and x.page_id = any(${pages}::int[])`;
    return context.merged
      ? { where: isAmong(wordsOf(sql`core_action x where ${acted}`)) }
      : { each: true, rows: sql`core_action x where x.user_id = u.id and ${acted}` };
  },
  tags: (ids) => ({
    each: true,
    rows: sql`core_action x join core_page_tags t on t.page_id = x.page_id
      where x.user_id = u.id and x.status = 'complete' and t.tag_id = any(${ids}::int[])`,
  }),
  campaigns: (_, { side }) => ({ rows: members(MEMBER_SOURCE[side].campaigns) }),
  target_groups: (ids) => ({ rows: targetGroupRows(sql`any(${ids}::int[])`) }),
  languages: (ids) => ({ where: sql`u.lang_id = any(${ids}::int[])` }),
  mailings: (ids, { side, context }) => {
    const [mailings, states] = [sql`any(${ids}::int[])`, sql`any(${MAILED_BY[side]}::int[])`];
    return context.merged ? mergedMailings(mailings, states) : { rows: ofMailings(mailings, states, context.few) };
  },
  raw_sql: (_, { side }) => ({ rows: members(MEMBER_SOURCE[side].raw_sql) }),
  query_reports: (_, { side }) => ({ rows: members(MEMBER_SOURCE[side].query_reports) }),
};

/** As the database makes small what they are held against. */
const lower = (names: readonly string[]): string[] => names.map(lowerCase);

/** Of a monthly profile `x`. A card expires at the end of the month on it; the profile of one that is canceled expires no more. */
const MONTHLY_DONOR: Record<MonthlyDonorState, Sql> = {
  any: sql`true`,
  active: sql`x.status = 'active'`,
  expires_this_month: sql`x.canceled_at is null and x.exp_date = to_char(now() at time zone 'UTC', 'MMYY')`,
  expired_last_month: sql`x.canceled_at is null and x.exp_date = to_char(now() at time zone 'UTC' - interval '1 month', 'MMYY')`,
  canceled_last_7_days: sql`x.canceled_at >= now() - interval '7 days'`,
};

/** One field that says something, and who is meant by it, as a condition on `u`. */
export interface Clause {
  field: MatchField;
  meant: Sql;
  notMeant: Sql;
  /** It asks whether there are rows elsewhere, and of `u` no more than the id. */
  elsewhere: boolean;
}

/** The clauses of one side; an absent field and an empty list say nothing. */
export function clausesOf(targeting: Targeting, side: Side, context: AudienceContext): Clause[] {
  return (Object.keys(MATCHES) as MatchField[]).flatMap((field): Clause[] => {
    const value = targeting[field];
    if (value === undefined || (Array.isArray(value) && !value.length)) return [];
    const match = (MATCHES[field] as (value: unknown, around: Around) => Match)(value, { side, targeting, context });
    if ('where' in match) return [{ field, meant: sql`(${match.where})`, notMeant: sql`(${match.where}) is not true`, elsewhere: false }];
    const rows = context.few && match.each ? oneOf(match.rows) : match.rows;
    const away = match.none ?? sql`not exists (select from ${rows})`;
    const there = sql`exists (select from ${rows})`;
    const [meant, notMeant] = match.without ? [away, there] : [there, away];
    return [{ field, meant, notMeant, elsewhere: true }];
  });
}

/** Statements that stage what can be staged here; to be run before the audience is asked for. */
export function stagingOf(targeting: Targeting, side: Side): Sql[] {
  if (!targeting.campaigns?.length) return [];
  return [
    sql`insert into target_member select ${MEMBER_SOURCE[side].campaigns}::int, user_id from (${nearCampaigns(targeting.campaigns, targeting)}) near`,
  ];
}

/** What the mailing's own page and file ask of everyone in its audience. */
export function fromMailing({ landingPage, mergefile }: AudienceContext): Sql[] {
  const conditions: Sql[] = [];
  if (landingPage !== null) {
    const groups = sql`any(array(select targetgroup_id from core_whipcountpage_target_groups where page_id = ${landingPage}::int))`;
    conditions.push(sql`exists (select from ${targetGroupRows(groups)})`);
  }
  if (mergefile !== null) {
    conditions.push(sql`exists (select from core_mergefilerow x where x.mergefile_id = ${mergefile}::int and x.user_id = u.id)`);
  }
  return conditions;
}

function order(settings: TargetingSettings, context: AudienceContext): Sql {
  if (settings.sort_by === 'zip') return sql`nullif(u.zip, '') collate "C" nulls last, u.id`;
  // The same draw whenever the set is built again: by the hash of the mailing and the user.
  if (settings.sort_by === 'random') return sql`md5(${`${context.mailingId}:`}::text || u.id)::uuid, u.id`;
  return sql`u.id`;
}

/**
 * The audience of a mailing as one SELECT of `user_id` and `place` (1, 2, 3 … in the order of `sort_by`, at most `limit`).
 *
 * In it is who is subscribed to at least one list, has the status subscribed (so neither bounced nor gone), is not blackholed, matches
 * every field of `includes` and no field of `excludes`, and has no row in this mailing's ledger yet (a mailing that is built again must never mail
 * anybody twice: whoever builds deletes the pending rows first). The people of MEMBER_SOURCE's fields are read from the temporary table
 * `target_member (source int, user_id int)`, which has to be there and filled when those fields are used (see stagingOf).
 */
export function compileAudience(settings: TargetingSettings, context: AudienceContext): Sql {
  const audience = sql`select u.id as user_id, row_number() over (order by ${order(settings, context)}) as place
    from core_user u where ${joinSql(audienceConditions(settings, context), ' and ')}`;
  return settings.limit === null
    ? audience
    : sql`select user_id, place from (${audience}) audience where place <= ${settings.limit}::bigint`;
}

function audienceConditions(settings: TargetingSettings, context: AudienceContext): Sql[] {
  const [subscribed, onAList, notBlackholed] = reachable(context);
  return [
    ...(context.among ? [sql`u.id in (select user_id from ${identifier(context.among)})`] : []),
    subscribed,
    // Who is on one of the lists that are asked for is on a list.
    ...(settings.includes.lists?.length ? [] : [onAList]),
    notBlackholed,
    ...clausesOf(settings.includes, 'includes', context).map(({ meant }) => meant),
    ...clausesOf(settings.excludes, 'excludes', context).map(({ notMeant }) => notMeant),
    ...fromMailing(context),
    ...(context.anew
      ? []
      : [sql`not exists (select from send_record mine where mine.user_id = u.id and mine.mailing_id = ${context.mailingId}::int)`]),
  ];
}
