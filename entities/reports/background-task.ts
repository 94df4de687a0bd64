import { defineEntity, p } from '@mikro-orm/core';
import { REPORT_FORMATS } from '../../domain/reports/formats.ts';
import { BACKGROUND_STATUSES } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';

/** A report somebody asked to have run in the background, and what became of it. The statement is kept as it was when it was asked for. */
export const BackgroundTask = defineEntity({
  name: 'BackgroundTask',
  tableName: 'core_backgroundtask',
  properties: {
    id: id(),
    shortName: text(),
    /** With its places bound: text and values. */
    statement: p.json<{ text: string; values: string[] }>(),
    format: status(REPORT_FORMATS, 'csv'),
    /** The result is given out as an archive. */
    zipped: flag(),
    status: status(BACKGROUND_STATUSES, 'pending'),
    /** Addresses the result is mailed to. */
    emails: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    /** Of the first so many the mail was handed to the relay, or is about to be; of so many it is known, or never will be, what became of it. */
    mailsBegun: p.integer().default(0).hidden(),
    mailsOver: p.integer().default(0).hidden(),
    submitter: p.integer().nullable().fieldName('submitter_id'),
    rows: p.integer().nullable().fieldName('row_count'),
    bytes: p.bigint().nullable().fieldName('byte_count'),
    /** How often it was begun. */
    runs: p.integer().default(0),
    /** How often somebody was erased while it ran, so that it was begun anew. */
    overtaken: p.integer().default(0).hidden(),
    /** How often it could not be run for want of what it needs, a connection, say. */
    waited: p.integer().default(0).hidden(),
    errors: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    startedAt: p.datetime(6).nullable(),
    finishedAt: p.datetime(6).nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    {
      name: 'core_backgroundtask_open_index',
      expression: `create index core_backgroundtask_open_index on core_backgroundtask (updated_at)
        where status in ('pending', 'running') or status = 'completed' and mails_over < jsonb_array_length(emails)`,
    },
  ],
});
