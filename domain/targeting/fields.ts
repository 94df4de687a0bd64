import type { MonthlyDonorState, SortOrder } from '../words.ts';

/**
 * What `includes` or `excludes` of a mailing hold once checked: references as ids, plain values in their canonical form
 * (states and countries as given by the user rows, zips as five digits). Every field but one is a list whose members are
 * joined by OR; fields are joined by AND in includes, by OR in excludes. An absent field says nothing; an empty list is the same as absent.
 */
export interface Targeting {
  users?: number[];
  lists?: number[];
  /** Two letters, upper case. */
  states?: string[];
  countries?: string[];
  regions?: string[];
  /** Five digits, or a shorter prefix with a star (`100*`), or a range of five-digit zips (`10001-10099`). */
  zips?: string[];
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
  languages?: number[];
  mailings?: number[];
  raw_sql?: string[];
  query_reports?: { short_name: string; params?: Record<string, unknown> }[];
}

export type TargetingField = keyof Targeting;

/** Everything that decides who is in a mailing's set and in which order. */
export interface TargetingSettings {
  includes: Targeting;
  excludes: Targeting;
  limit: number | null;
  sort_by: SortOrder | null;
}
