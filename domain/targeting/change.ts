import { MODIFIES, type Modifier, type Targeting, type TargetingField, type TargetingSettings } from './fields.ts';

/** All fields whose change makes a saved set out of date; the rate is one of them by the specification. */
export interface TargetingState extends TargetingSettings {
  target_group_from_landing_page: boolean;
  target_mergefile: boolean;
  mails_per_second: number | null;
}

export const TARGETING_STATE_FIELDS = [
  'includes',
  'excludes',
  'limit',
  'sort_by',
  'target_group_from_landing_page',
  'target_mergefile',
  'mails_per_second',
] as const satisfies readonly (keyof TargetingState)[];

/** A list with members, a number, or true or false; false says nothing where it only leaves a narrowing out. */
const saysSomething = ([field, value]: [string, unknown]): boolean =>
  Array.isArray(value) ? value.length > 0 : typeof value === 'number' || (typeof value === 'boolean' && (value || !isModifier(field)));

const isModifier = (field: string): field is Modifier => Object.hasOwn(MODIFIES, field);

/**
 * `stored` with the fields of `sent` in place of its own; an empty list takes a field away, and with it what modifies it. The other fields stay.
 */
export function mergeTargeting(stored: Targeting, sent: Targeting): Targeting {
  const takenAway = (field: string) => Object.hasOwn(sent, field) && !saysSomething([field, sent[field as TargetingField]]);
  const kept = Object.entries(stored).filter(([field]) => !isModifier(field) || !takenAway(MODIFIES[field]));
  return Object.fromEntries(Object.entries({ ...Object.fromEntries(kept), ...sent }).filter(saysSomething)) as Targeting;
}

/** Modifiers without the field they modify: whoever sent them meant a narrower audience than there would be. */
export const danglingModifiers = (targeting: Targeting): Modifier[] =>
  Object.keys(targeting).filter((field): field is Modifier => isModifier(field) && targeting[MODIFIES[field]] === undefined);

/** Whether two states mean the same audience at the same rate: order and repetition inside a field's list mean nothing, nor does an empty list. */
export function sameTargeting(one: TargetingState, other: TargetingState): boolean {
  return TARGETING_STATE_FIELDS.every((field) => canonical(one[field]) === canonical(other[field]));
}

function canonical(value: TargetingState[keyof TargetingState]): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value as Targeting).filter(saysSomething);
  return stable(Object.fromEntries(fields.map(([field, members]) => [field, [...new Set([members].flat().map(stable))].sort()])));
}

/** JSON with the keys of every object in order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
