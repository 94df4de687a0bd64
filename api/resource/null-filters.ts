import type { ResourceDeclaration } from './declare.ts';
import type { Field } from './fields.ts';

/**
 * The filters of a declaration, with `isnull` on each reference that may lead nowhere: the one thing about it that its ids do not tell. Not on one that is filtered by in
 * another resource's rows, where none of those would be null.
 */
export function withNullFilters(
  { filtering, filterNames = {} }: ResourceDeclaration,
  fields: readonly Field[],
): ResourceDeclaration['filtering'] {
  if (!filtering) return;
  const known = new Set(Object.values(filterNames));
  const filters = { ...filtering };
  for (const { name, column, stored, nullable, writeonly, override } of fields) {
    if (stored.kind !== 'reference' || !column || !nullable || writeonly || override.filteredBy || known.has(name)) continue;
    const declared = filters[name] ?? [];
    if (Array.isArray(declared) && !declared.includes('isnull')) filters[name] = [...declared, 'isnull'];
  }
  return filters;
}
