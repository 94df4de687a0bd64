import { defineEntity, p } from '@mikro-orm/core';
import { REPORT_FORMATS } from '../../domain/reports/formats.ts';
import { createdAt } from '../columns.ts';

/** Results of reports that took long, kept for a while. The table is unlogged: what is in it may be lost at any time. */
export const CachedReport = defineEntity({
  name: 'CachedReport',
  tableName: 'report_cache',
  properties: {
    /** See cacheKey. */
    key: p.text().primary(),
    format: p.enum(REPORT_FORMATS),
    content: p.text(),
    bytes: p.integer(),
    createdAt: createdAt(),
  },
  indexes: [
    {
      name: 'report_cache_created_at_index',
      expression: 'create index report_cache_created_at_index on report_cache (created_at)',
    },
  ],
});
