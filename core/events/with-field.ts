import type { Expression, SqlBool } from 'kysely';
import { fragment } from '../../entities/tables.ts';

/** What is asked of a custom field: its name, its value, or both of one and the same. */
export interface FieldAsked {
  name?: string;
  value?: string;
}

/** A condition over the row `t` of an event: that it has such a custom field. A field with a list of values has each of them. */
export function hasField({ name, value }: FieldAsked): Expression<SqlBool> {
  const named = name === undefined ? fragment<boolean>`true` : fragment<boolean>`f.key = ${name}`;
  const valued = value === undefined ? fragment<boolean>`true` : fragment<boolean>`(f.value #>> '{}' = ${value} or f.value ? ${value})`;
  return fragment`exists (select from jsonb_each(t.fields) as f (key, value) where ${named} and ${valued})`;
}
