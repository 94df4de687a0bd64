/** What a send slice tells the workflow. */
export interface SliceResult {
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
  /** Mails of the mailing accepted over all its slices and runs; absent where it could not be read, and in older histories. */
  acceptedInAll?: number;
  /** The relay took a mail, refused one or put one off: it is there, whatever became of others. Absent in older histories. */
  answered?: boolean;
  /** What the workflow does next. With `elsewhere` it did nothing: every worker there is has a slice of this mailing at work. */
  next: 'more' | 'wait' | 'elsewhere' | 'finished' | 'stop' | 'relay-down' | 'refused' | 'closed';
  /** Milliseconds, with `wait` and `closed` (outside the sending hours). */
  waitMs: number;
  /** With `wait`: until a shard is due that nobody holds; null when there is none, absent in older histories. */
  dueMs?: number | null;
  /** The relay's words, with `relay-down`, `refused` and, where it has put recipients off, `wait`; the hours, with `closed`. */
  reason: string;
}

/** The result of a slice that did nothing, but for what is next. */
export const NOTHING_SENT = { accepted: 0, failed: 0, skipped: 0, uncertain: 0, waitMs: 0, reason: '' } as const;
