import type { ChoiceKind } from '../../core/mailings/choices.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { EVENT_MILES, type Targeting, type TargetingField } from '../../domain/targeting/fields.ts';
import { MONTHLY_DONOR_STATES } from '../../domain/words.ts';
import { idsOf, membersOf, type Sent, textOf, textsOf } from '../fields.ts';

/** Fields that name things there are. */
export const NAMED = {
  lists: 'On any of these lists',
  tags: 'Took part in anything tagged',
  actions: 'Acted on any of these pages',
  mailings: 'Was sent any of these mailings',
  languages: 'Speaks',
  target_groups: 'Represented by one of these groups of targets',
  campaigns: `Within ${EVENT_MILES} miles of an event of these campaigns`,
} as const satisfies Partial<Record<TargetingField & ChoiceKind, string>>;
export type Named = keyof typeof NAMED;

/** Fields that name places; zips may be cities, too, with a comma of their own. */
export const WRITTEN = {
  states: ['States', 'NY, CA'],
  countries: ['Countries', 'United States'],
  zips: ['Zips or cities', 'One a line: 10001, 100*, 10001-10099 or Albany, NY'],
  counties: ['Counties', 'Albany'],
  cds: ['Congressional districts', 'NY_12'],
  state_house_districts: ['State house districts', 'NY_012'],
  state_senate_districts: ['State senate districts', 'NY_012'],
  regions: ['Regions', ''],
} as const satisfies Partial<Record<TargetingField, readonly [string, string]>>;
export type Written = keyof typeof WRITTEN;

const PER_LINE = /\n+/;

/** The form as the API takes it: a field left empty is taken away. */
export function wantedOf(sent: Sent): Record<Side, object> & Record<'limit' | 'sort_by', string | null> {
  const side = (name: Side) => {
    const at = (field: string) => `${name}.${field}`;
    const orNull = <Value>(values: Value[]) => (values.length ? values : null);
    const donated = textOf(sent, at('has_donated'));
    const radius = textOf(sent, at('zip_radius')).trim();
    return {
      ...Object.fromEntries(Object.keys(NAMED).map((field) => [field, orNull(idsOf(sent, at(field)))])),
      ...Object.fromEntries(
        Object.keys(WRITTEN).map((field) => [field, orNull(membersOf(textOf(sent, at(field)), field === 'zips' ? PER_LINE : undefined))]),
      ),
      zip_radius: radius === '' ? null : radius,
      has_donated: donated === '' ? null : donated === 'yes',
      was_monthly_donor: orNull(textsOf(sent, at('was_monthly_donor')).filter((state) => MONTHLY_DONOR_STATES.includes(state as never))),
    };
  };
  return {
    includes: side('includes'),
    excludes: side('excludes'),
    limit: textOf(sent, 'limit').trim() || null,
    sort_by: textOf(sent, 'sort_by') || null,
  };
}

/** What is in the fields of the form: what is stored, or what was sent, which may be nothing that could be stored. */
export interface Filled extends Record<Side, Targeting> {
  limit: number | string | null;
  sort_by: string | null;
  /** What it is checked against when it is saved. */
  targeting_version: number;
}

/** The form as it was sent. Nothing of what is stored is in it: a field that was emptied is empty. */
export function filledOf(sent: Sent): Filled {
  const { includes, excludes, ...others } = wantedOf(sent);
  const chosen = (side: object): Targeting => Object.fromEntries(Object.entries(side).filter(([, value]) => value !== null));
  return {
    ...others,
    includes: chosen(includes),
    excludes: chosen(excludes),
    targeting_version: Number(textOf(sent, 'targeting_version')),
  };
}
