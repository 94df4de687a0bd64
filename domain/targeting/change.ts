import type { Targeting, TargetingSettings } from './fields.ts';

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

const saysSomething = (value: unknown): boolean => typeof value === 'boolean' || (Array.isArray(value) && value.length > 0);

/** `stored` with the fields of `sent` in place of its own; an empty list takes a field away. The other fields stay. */
export function mergeTargeting(stored: Targeting, sent: Targeting): Targeting {
  const merged = { ...stored, ...sent };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => saysSomething(value))) as Targeting;
}

/** Whether two states mean the same audience at the same rate: order and repetition inside a field's list mean nothing, nor does an empty list. */
export function sameTargeting(one: TargetingState, other: TargetingState): boolean {
  return TARGETING_STATE_FIELDS.every((field) => canonical(one[field]) === canonical(other[field]));
}

function canonical(value: TargetingState[keyof TargetingState]): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value as Targeting).filter(([, members]) => saysSomething(members));
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
