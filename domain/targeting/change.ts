import { InputError } from '../errors.ts';
import type { Side } from './compile.ts';
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

/** `stored` with the fields of `sent` in place of its own; an empty list takes a field away. The other fields stay, also what modifies one that is taken away. */
export const mergeTargeting = (stored: Targeting, sent: Targeting): Targeting =>
  Object.fromEntries(Object.entries({ ...stored, ...sent }).filter(saysSomething)) as Targeting;

/** Both sides, as they are stored or as they are shown. */
type Sides = Record<Side, { [Field in TargetingField]?: unknown }>;

/**
 * What is to be said of modifiers without the field they modify, by the modifier. They may be stored, since fields come one by one; whoever sent them meant a narrower
 * audience than there would be, so that nothing is built, counted or queued with them.
 */
export function modifierErrors(sides: Sides): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const side of ['includes', 'excludes'] as const) {
    const fields = Object.entries(sides[side]).filter(saysSomething);
    for (const [field] of fields) {
      if (!isModifier(field) || fields.some(([other]) => other === MODIFIES[field])) continue;
      errors[field] = [...(errors[field] ?? []), `${side}: ${field} says nothing without ${MODIFIES[field]}.`];
    }
  }
  return errors;
}

/** @throws InputError where one of them stands alone */
export function checkModifiers(sides: Sides): void {
  const errors = modifierErrors(sides);
  if (Object.keys(errors).length) throw new InputError(errors);
}

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
