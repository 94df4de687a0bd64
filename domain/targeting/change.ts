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
  return TARGETING_STATE_FIELDS.every((field) => {
    const [left, right] = [one[field], other[field]];
    return isSide(left) && isSide(right) ? sameSide(left, right) : (left ?? null) === (right ?? null);
  });
}

const isSide = (value: TargetingState[keyof TargetingState]): value is Targeting => typeof value === 'object' && value !== null;

function sameSide(one: Targeting, other: Targeting): boolean {
  const [left, right] = [one, other].map((side) => Object.entries(side).filter(saysSomething));
  return left!.length === right!.length && left!.every(([field, value]) => sameMembers(value, other[field as TargetingField]));
}

/** As many members may be compared as a request can name: most often they are sent back as they were read, and each is looked at once. */
function sameMembers(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  if (one.length === other.length && one.every((member, n) => member === other[n])) return true;
  const [left, right] = [new Set(one.map(keyOf)), new Set(other.map(keyOf))];
  return left.size === right.size && left.isSubsetOf(right);
}

/** A number or text for itself, an object by its JSON with the keys in order. */
const keyOf = (member: unknown): unknown => (typeof member === 'object' && member !== null ? stable(member) : member);

/** JSON of an object, the same whatever the order of its keys. */
export function stable(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
