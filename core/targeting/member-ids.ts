import type { RowWriter } from '../../domain/reports/formats.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { ReportReading } from '../reports/report-bounds.ts';
import { streamReport } from '../reports/report-reader.ts';
import { RebuildError } from './rebuild-error.ts';

const LARGEST_ID = 2_147_483_647;

/**
 * The user ids a statement of somebody's gives in its first column, read under the restricted login like any report.
 * @throws RebuildError when the statement fails, takes too long, gives too much or something other than whole numbers; ReportsAwayError; the signal's reason
 */
export async function readMemberIds(statement: BoundStatement, reading: ReportReading): Promise<number[]> {
  const ids: number[] = [];
  try {
    const { text } = await streamReport(statement, idsInto(ids), reading);
    // Rows are taken as they come; nothing is made of them but the end.
    for await (const _ of text);
    return ids;
  } catch (error) {
    reading.signal?.throwIfAborted();
    if (error instanceof StatementError) throw new RebuildError([error.message]);
    throw error;
  }
}

/** Takes the first column of each row for an id. */
const idsInto = (ids: number[]): RowWriter => ({
  contentType: '',
  begin(_out, columns) {
    // Nobody would be found, and of an exclusion nobody left out.
    if (columns.length === 0) throw new StatementError(NO_IDS);
  },
  row(_out, data, at) {
    const length = data.readInt16BE(at) > 0 ? data.readInt32BE(at + 2) : -1;
    if (length < 0) return;
    const value = data.toString('latin1', at + 6, at + 6 + Math.min(length, LONGEST_NUMBER + 1));
    if (!/^-?\d{1,19}$/.test(value)) throw new StatementError(NO_IDS);
    const id = Number(value);
    if (id > 0 && id <= LARGEST_ID) ids.push(id);
  },
  end: () => undefined,
});

const LONGEST_NUMBER = 20;
const NO_IDS = 'The first column of the statement must hold user ids, whole numbers.';
