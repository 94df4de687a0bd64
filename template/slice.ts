import { textOf } from './values.ts';

/** Django's slices: `:2`, `1:`, `-3:`, `1:-1`, `2`; with a step `::2`, `::-1`. What is none of these leaves the value as it is. */
export function slice(value: unknown, bounds: unknown): unknown {
  const found = /^(-?\d{1,9})?(?:(:)(-?\d{1,9})?(?::(-?\d{1,9})?)?)?$/.exec(textOf(bounds).trim());
  const step = Number(found?.[4] ?? 1);
  if (!found || step === 0) return value;
  const [begin, end] = (found[2] ? [found[1], found[3]] : [undefined, found[1]]).map((bound) => (bound ? Number(bound) : undefined));
  const cut = <Item>(items: Item[]) => (step > 0 ? each(items.slice(begin, end), step) : backwards(items, begin, end, -step));
  return Array.isArray(value) ? cut(value) : typeof value === 'string' ? cut([...value]).join('') : value;
}

const each = <Item>(items: Item[], step: number) => (step === 1 ? items : items.filter((_, n) => n % step === 0));

/** From `begin` (else the last one) down to `end`, which is left out (else to the first one). */
function backwards<Item>(items: Item[], begin: number | undefined, end: number | undefined, step: number): Item[] {
  const after = (bound: number) => Math.max(0, (bound < 0 ? bound + items.length : bound) + 1);
  return each(items.slice(end === undefined ? 0 : after(end), begin === undefined ? undefined : after(begin)).reverse(), step);
}
