import type { ChoiceKind } from '../../core/mailings/choices.ts';
import type { SearchedPlaces } from '../../core/targeting/search-places.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { EVENT_MILES, type Modifier, type TargetingField } from '../../domain/targeting/fields.ts';

/** Both sides of an audience. */
export const SIDES = { includes: 'Who gets it', excludes: 'But not' } as const satisfies Record<Side, string>;

/** Fields that name things there are. */
export const NAMED = {
  lists: 'On any of these lists',
  tags: 'Took part in anything tagged',
  actions: 'Acted on any of these pages',
  mailings: 'Was sent any of these mailings',
  languages: 'Speaks',
  target_groups: 'Represented by one of these groups of targets',
  campaigns: 'Lives near a coming event of these campaigns',
} as const satisfies Partial<Record<TargetingField & ChoiceKind, string>>;
export type Named = keyof typeof NAMED;

/** Fields that name places; zips may be cities, too, with a comma of their own. */
export const WRITTEN = {
  states: ['States', 'NY, CA'],
  countries: ['Countries', 'United States, "Korea, Republic of"'],
  zips: ['Zips or cities', 'One a line: 10001, 100*, 10001-10099 or Albany, NY'],
  counties: ['Counties', 'Albany'],
  cds: ['Congressional districts', 'NY_12'],
  state_house_districts: ['State house districts', 'NY_012'],
  state_senate_districts: ['State senate districts', 'NY_012'],
  regions: ['Regions', ''],
} as const satisfies Record<TargetingField & SearchedPlaces, readonly [string, string]>;
export type Written = keyof typeof WRITTEN;

/** What narrows the events of campaigns that are near somebody. */
export const SAME = {
  campaign_samestate_only: 'In the same state alone',
  campaign_same_county_only: 'In the same county alone',
  campaign_same_district_only: 'In the same congressional district alone',
} as const satisfies Partial<Record<Modifier, string>>;

export const CAMPAIGN_RADIUS = ['Miles around the events', `Empty: ${EVENT_MILES}.`] as const;

/** Grants that fields need beside that for mailings: without them they are described, and stay. */
export const NEEDS = { users: 'user:read', raw_sql: 'report:sql', query_reports: 'report:read', mergefile: 'mergefile:read' } as const;

/** What is asked of everybody by the mailing's own page and file. */
export const OF_MAILING = ['limit', 'sort_by', 'target_group_from_landing_page', 'target_mergefile', 'mergefile'] as const;
export type OfMailing = (typeof OF_MAILING)[number];
