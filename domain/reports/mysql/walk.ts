import type { Node } from 'libpg-query';

/** Other statements have their own columns. */
const isInside = (key: string): boolean => key === 'SelectStmt' || key === 'subselect';

/** A tree with every node changed for which `change` gives another; what stands in statements within it stays. */
export function mapped(value: unknown, change: (node: Node) => Node | null): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const made = change(value as Node);
  if (made) return made;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, isInside(key) ? member : mapped(member, change)]));
}
