import { defineEntity, p } from '@mikro-orm/core';
import { UPLOAD_STATUSES } from '../../domain/words.ts';
import { AuthUser } from '../accounts/auth-user.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Page } from '../pages/page.ts';

/** A file of people to be imported as actions of a page, and how far that has come. */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'core_upload',
  properties: {
    id: id(),
    page: () => p.manyToOne(Page).deleteRule('cascade').index(),
    filename: text(),
    autocreateUserFields: flag(),
    /** No line is an action, and nobody comes onto a list by it. */
    userFieldsOnly: flag(),
    status: status(UPLOAD_STATUSES, 'new'),
    stopRequested: flag(),
    columns: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    /** Lines below the header. */
    lineCount: p.integer().nullable(),
    progress: p.integer().default(0),
    /** Lines that could not be imported. */
    errorCount: p.integer().default(0),
    startedAt: p.datetime(6).nullable(),
    finishedAt: p.datetime(6).nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    {
      name: 'core_upload_open_index',
      expression: `create index core_upload_open_index on core_upload (updated_at) where status in ('new', 'importing')`,
    },
  ],
});

/**
 * Lines of an upload that wait to be imported: a transaction's worth, gone when they are imported or the upload is over. All good lines that
 * name one person in one way are in one lane, in their order: lanes are imported side by side, the blocks of one after the other.
 */
export const UploadBlock = defineEntity({
  name: 'UploadBlock',
  tableName: 'core_uploadblock',
  properties: {
    upload: p.integer().primary().fieldName('upload_id'),
    lane: p.integer().primary(),
    nth: p.integer().primary(),
    /** JSON: a list of lists, the number of a line and its cells. */
    lines: p.text(),
  },
});

/** What was wrong with a line. It says nothing of what stood there. */
export const UploadError = defineEntity({
  name: 'UploadError',
  tableName: 'core_uploaderror',
  properties: {
    id: id(),
    upload: () => p.manyToOne(Upload).deleteRule('cascade'),
    line: p.integer(),
    message: text(),
    createdAt: createdAt(),
  },
  indexes: [{ name: 'core_uploaderror_upload_index', properties: ['upload', 'line'] }],
});

/** A file somebody at the console is about to import, and what they have said of it so far. It goes when the import begins, or a day later. */
export const UploadDraft = defineEntity({
  name: 'UploadDraft',
  tableName: 'core_uploaddraft',
  properties: {
    id: id(),
    account: () => p.manyToOne(AuthUser).deleteRule('cascade').index(),
    filename: text(),
    /** What each column of the file is: a name of ours, or empty for one that is left out. None as long as nobody has said. */
    columns: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    page: () => p.manyToOne(Page).nullable().deleteRule('set null').index(),
    autocreateUserFields: flag(),
    createdAt: createdAt(),
  },
});

/** The file, in pieces of its bytes. */
export const UploadDraftPart = defineEntity({
  name: 'UploadDraftPart',
  tableName: 'core_uploaddraftpart',
  properties: {
    draft: () => p.manyToOne(UploadDraft).primary().deleteRule('cascade'),
    nth: p.integer().primary(),
    content: p.blob(),
  },
});
