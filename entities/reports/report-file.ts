import { defineEntity, p } from '@mikro-orm/core';
import { id } from '../columns.ts';

/** The result of a report in the background, where these are kept in the database. */
export const ReportFile = defineEntity({
  name: 'ReportFile',
  tableName: 'report_file',
  properties: {
    id: id(),
    name: p.text().unique(),
    writtenAt: p.datetime(6).defaultRaw('now()'),
  },
});

/** A piece of one. */
export const ReportFileChunk = defineEntity({
  name: 'ReportFileChunk',
  tableName: 'report_filechunk',
  properties: {
    file: () => p.manyToOne(ReportFile).primary().deleteRule('cascade'),
    nth: p.integer().primary(),
    content: p.blob(),
  },
});
