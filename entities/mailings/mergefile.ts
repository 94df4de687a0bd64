import { defineEntity, p } from '@mikro-orm/core';
import { MERGEFILE_LOOKUPS, MERGEFILE_STATUSES } from '../../domain/words.ts';
import { createdAt, id, status, text, updatedAt } from '../columns.ts';
import { User } from '../people/user.ts';

/** A file with a row of values for each of some people, for templates to show and targeting to go by. */
export const Mergefile = defineEntity({
  name: 'Mergefile',
  tableName: 'core_mergefile',
  properties: {
    id: id(),
    name: text(),
    filename: text(),
    status: status(MERGEFILE_STATUSES, 'loaded'),
    rowCount: p.integer().default(0),
    /** The column that says whose a row is. */
    lookupColumn: status(MERGEFILE_LOOKUPS, 'email'),
    columns: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    error: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export const MergefileRow = defineEntity({
  name: 'MergefileRow',
  tableName: 'core_mergefilerow',
  properties: {
    mergefile: () => p.manyToOne(Mergefile).primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).primary().deleteRule('cascade').updateRule('cascade').index(),
    values: p.json<Record<string, string>>(),
  },
});
