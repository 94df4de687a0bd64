import { type FieldTable, fieldPairsSql, fromPairs } from '../../core/people/custom-fields.ts';
import { RequestError } from '../../domain/errors.ts';
import type { FieldOverride } from '../resource/declare.ts';

/** Custom fields as a dictionary of the object they belong to. Reads throw a RequestError where an answer would hold too much of them. */
export const shownFields = (table: FieldTable, help: string): FieldOverride => ({
  kind: 'dict',
  readonly: false,
  default: {},
  nullIsAbsent: true,
  help: `${help} A change replaces only the names sent; a value may be a list.`,
  sql: fieldPairsSql(table, 't.id'),
  show: ({ fields }) => {
    if (fields === null)
      throw new RequestError({ _limit: 'The custom fields of these objects are more than one answer may hold: ask for fewer.' });
    return fromPairs(fields as Parameters<typeof fromPairs>[0]);
  },
});
