import type { Readable } from 'node:stream';
import type { Sql } from '../../db/sql.ts';

/** A file that is whole and stands under no name yet. */
export interface ReportDraft {
  bytes: number;
  /** Gives it its name; what had it is gone. @param sql where the task is ended */
  keep(sql: Sql): Promise<void>;
  drop(): Promise<void>;
}

/** A file went while it was read: what was read of it is not all there was. */
export class ResultRemovedError extends Error {}

/** Whether a name is that of a draft. */
export const isDraft = (name: string): boolean => name.endsWith('.part');

/** Where results of reports are kept. Names are ours: letters, digits, dot and dash. An object store would be another of these. */
export interface ReportFiles {
  /** All of it or nothing; another attempt at the same may be at work. */
  draft(name: string, content: Readable): Promise<ReportDraft>;
  /** Null when there is none. The reading fails with ResultRemovedError where the file goes meanwhile, and it cannot be read to its end. */
  read(name: string): Promise<{ content: Readable; bytes: number } | null>;
  remove(name: string): Promise<void>;
  /** Every name there is, drafts of a write under way among them, and when it was last written to. */
  list(): Promise<{ name: string; writtenAt: Date }[]>;
}
