import { counted } from '../../domain/counted.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';

// What a report may take, and what is said when it takes more.

export interface ReportReading {
  /** Login of the restricted role. */
  reportDatabaseUrl: string;
  /** Longest the statement may run, reading of its rows by the caller included, in ms. */
  timeoutMs: number;
  maxRows: number;
  /** Most of the result, in megabytes of its text. */
  maxMb?: number;
  /** Most memory the statement may take of the server, in megabytes, where that can be watched. */
  memoryMb?: number;
  /** Ends the statement on the server. */
  signal?: AbortSignal;
  /** Told when the server is done with it, which may be long after its time is up. */
  onEnded?: () => void;
}

/** The database has no connection for a report just now. */
export class ReportsAwayError extends Error {}

/** The same, and the report was not begun: nothing of it can be why. */
export class NoConnectionError extends ReportsAwayError {}

/** What was there when the statement was planned is made anew just now, as after a migration. */
const MADE_ANEW = /^(cache lookup failed|could not open relation with OID|tuple concurrently)/;

/** What the server said, as whoever asked for the report is told it. */
export function failureOf({ code, message }: { code: string; message: string }, reading: ReportReading): Error {
  if (code === '57014') return tooLong(reading);
  if (code === '53200') return tooLarge(reading);
  if (code === '53400') return new StatementError('The statement needs more temporary files than the database allows.');
  // The server did not foresee what was asked of it, and will not the next time: a rebuild that tries again would go on for ever.
  if (code === 'XX000' && !MADE_ANEW.test(message)) return new StatementError(`The statement failed: ${message}.`);
  if (/^(53|57P|58|XX)/.test(code) || !code) return new ReportsAwayError('The database ended the report.', { cause: message });
  return new StatementError(`The statement failed: ${message}.`);
}

/** What was told, as it may stand in logs: without the server's words, which quote values. Whose statement it was, in front of it, stays. */
export const withoutItsWords = (told: string): string =>
  told.replace(/The statement failed: .*/s, 'The statement failed; run it to see why.');

export const tooLarge = ({ memoryMb }: ReportReading) =>
  new StatementError(
    memoryMb === undefined
      ? 'The statement needs more memory than the database has for it.'
      : `The statement needs more than ${memoryMb} MB of the database's memory.`,
  );

export const tooLong = ({ timeoutMs }: ReportReading) =>
  new StatementError(`The statement takes longer than ${counted(timeoutMs / 1000, 'second', 'seconds')}.`);
