import type { WrittenStatement } from '../reports/written.ts';
import type { MonthlyDonorState, SortOrder } from '../words.ts';

/**
 * What `includes` or `excludes` of a mailing hold once checked: references as ids, plain values in their canonical form
 * (states and countries as given by the user rows, zips as five digits). A field that is a list joins its members
 * by OR; fields are joined by AND in includes, by OR in excludes. An absent field says nothing; an empty list is the same as absent.
 * Those in MODIFIES say how another field is meant and nothing by themselves.
 */
export interface Targeting {
  users?: number[];
  lists?: number[];
  /** Two letters, upper case. */
  states?: string[];
  countries?: string[];
  regions?: string[];
  /** Five digits, a shorter prefix with a star (`100*`), a range of five-digit zips (`10001-10099`), or a city (`Albany, NY`). */
  zips?: string[];
  /** Miles around the places in `zips`. */
  zip_radius?: number;
  /** Names, as the locations of users have them. */
  counties?: string[];
  /** Congressional districts, `NY_12`. */
  cds?: string[];
  /** `NY_012`. */
  state_house_districts?: string[];
  state_senate_districts?: string[];
  /** true: has given something that was not given back; false: has not. */
  has_donated?: boolean;
  /** What is true of a monthly profile of theirs. */
  was_monthly_donor?: MonthlyDonorState[];
  /** Pages on which somebody took an action. */
  actions?: number[];
  tags?: number[];
  /** Campaigns with a coming event near somebody. */
  campaigns?: number[];
  /** Miles between somebody and the event; EVENT_MILES without it. */
  campaign_radius?: number;
  campaign_samestate_only?: boolean;
  campaign_same_county_only?: boolean;
  campaign_same_district_only?: boolean;
  /** Groups of targets, one of whom stands for where somebody lives. */
  target_groups?: number[];
  languages?: number[];
  mailings?: number[];
  raw_sql?: RawSql[];
  query_reports?: { short_name: string; params?: Record<string, unknown> }[];
}

/** A statement that gives user ids: PostgreSQL's as it is, another dialect's with its name. */
export type RawSql = string | WrittenStatement;

export type TargetingField = keyof Targeting;

/** Fields that narrow or widen another one; without it nothing is built (modifierErrors). */
export const MODIFIES = {
  zip_radius: 'zips',
  campaign_radius: 'campaigns',
  campaign_samestate_only: 'campaigns',
  campaign_same_county_only: 'campaigns',
  campaign_same_district_only: 'campaigns',
} as const satisfies Partial<Record<TargetingField, TargetingField>>;

export type Modifier = keyof typeof MODIFIES;

/** How near an event counts as near when campaign_radius does not say. */
export const EVENT_MILES = 50;
/** The largest radius taken. */
export const MOST_MILES = 500;

/** Everything that decides who is in a mailing's set and in which order. */
export interface TargetingSettings {
  includes: Targeting;
  excludes: Targeting;
  limit: number | null;
  sort_by: SortOrder | null;
}
