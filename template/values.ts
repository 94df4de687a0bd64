import { defaultDate } from './dates.ts';

// What values mean in a template. Where Python and JavaScript differ, Python wins, except that numbers in text compare as numbers:
// custom fields are always text, and `{% if user.fields.gifts > 3 %}` has to mean what it says.

/** Text that is markup though it stands where a plain value may: a default that the template itself gives. */
export class Markup {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** The value as it counts, whether it is markup or not. */
export const plain = (value: unknown): unknown => (value instanceof Markup ? value.toString() : value);

/** The text a value shows as. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value instanceof Date) return defaultDate(value);
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return value instanceof Markup ? value.toString() : '';
}

export function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    if (value instanceof Markup) return value.toString() !== '';
    return Array.isArray(value) ? value.length > 0 : hasNames(value);
  }
  return Boolean(value);
}

/** Whether objects that were looked at have names. None changes, and all names of a large one are gathered to see its first. */
const named = new WeakMap<object, boolean>();

function hasNames(value: object): boolean {
  const known = named.get(value);
  if (known !== undefined) return known;
  const has = Object.keys(value).length > 0;
  named.set(value, has);
  return has;
}

/** One step of a path: an own property or an element, never anything inherited. */
export function propertyOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  if (Object.hasOwn(value, name)) return (value as Record<string, unknown>)[name];
  return name === 'items' ? Object.entries(value) : undefined;
}

/** A number, from a number or from text that is one; otherwise null. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.length > 40 || !/^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(value)) return null;
  return Number(value);
}

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

/** A number below, at or above zero as in sorting; null where the two cannot be compared. */
function order(left: unknown, right: unknown): number | null {
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (isNumber(left) || isNumber(right)) {
    const [a, b] = [numberOf(left), numberOf(right)];
    return a === null || b === null ? null : a - b;
  }
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return null;
}

export function equal(left: unknown, right: unknown): boolean {
  if (left === right || (isNothing(left) && isNothing(right))) return true;
  return order(left, right) === 0;
}

export const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** Whether a list, text or object holds it; null for what cannot hold anything. */
function holds(whole: unknown, part: unknown): boolean | null {
  if (Array.isArray(whole)) return whole.some((each) => equal(each, part));
  if (typeof whole === 'string') return typeof part === 'string' ? whole.includes(part) : null;
  return typeof whole === 'object' && whole !== null ? Object.hasOwn(whole, textOf(part)) : null;
}

/** Steps that work on a value costs: one per 64 characters, one per member of a list. Short texts, nearly all values there are, cost nothing. */
export function costOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 6;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof Markup) return value.toString().length >> 6;
  let steps = 0;
  if (Array.isArray(value)) for (let n = 0; n < value.length; n++) steps += 1 + costOf(value[n]);
  return steps;
}

/** What looking for a text in another costs beside what both are long: at worst all of the one is compared at each place of the other. */
export const costOfSearch = (whole: unknown, part: unknown): number => costOf(whole) * costOf(part);

/** The operators of `{% if %}` that compare; what cannot be compared is neither this nor that. */
export const COMPARE: Record<string, (left: unknown, right: unknown) => boolean> = {
  '==': equal,
  '!=': (left, right) => !equal(left, right),
  '<': (left, right) => (order(left, right) ?? Number.NaN) < 0,
  '>': (left, right) => (order(left, right) ?? Number.NaN) > 0,
  '<=': (left, right) => (order(left, right) ?? Number.NaN) <= 0,
  '>=': (left, right) => (order(left, right) ?? Number.NaN) >= 0,
  in: (part, whole) => holds(whole, part) === true,
  'not in': (part, whole) => holds(whole, part) === false,
  is: (left, right) => left === right || (isNothing(left) && isNothing(right)),
  'is not': (left, right) => left !== right && !(isNothing(left) && isNothing(right)),
};
