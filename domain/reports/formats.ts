import { type CellBytes, csvBytes, jsonBytes, truthBytes, tsvBytes } from './cell-bytes.ts';
import { csvText, tsvText } from './cells.ts';
import type { OutBytes } from './out-bytes.ts';

/** How rows become text, one row at a time: what stands before, between and after them. */
export interface RowFormat {
  contentType: string;
  begin(columns: Column[]): string;
  /** @param row PostgreSQL's text of each value, or null */
  row(row: (string | null)[], index: number): string;
  end(): string;
}

/** What a dialect writes otherwise. */
export interface HowWritten {
  /** 1 and 0. */
  truthAsNumbers: boolean;
}

/** A format that takes rows as they come over the wire and writes bytes: for many rows. */
export interface RowWriter {
  contentType: string;
  begin(out: OutBytes, columns: Column[], how?: HowWritten): void;
  /** @param at where the row begins in `data`: the number of its values, then the length and the bytes of each */
  row(out: OutBytes, data: Buffer, at: number, index: number): void;
  end(out: OutBytes): void;
}

export interface Column {
  name: string;
  /** Of its type. */
  oid: number;
}

export const REPORT_FORMATS = ['json', 'csv', 'tsv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const rowFormat = (format: ReportFormat): RowWriter => ROWS[format]();

/** A JSON array of row arrays. */
const jsonRows = (): RowWriter =>
  cellsBetween(
    { contentType: 'application/json; charset=utf-8', writerOf: jsonBytes, absent: 'null' },
    { begin: () => '[', firstRow: '[', row: ',\n[', rowEnd: ']', end: ']' },
  );

/** RFC 4180 with a line of column names. */
const csvRows = (): RowWriter =>
  cellsBetween(
    { contentType: 'text/csv; charset=utf-8', writerOf: csvBytes, absent: '' },
    { begin: (columns) => `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`, firstRow: '', row: '', rowEnd: '\r\n', end: '' },
  );

/** As CSV, with tabs between, and no quotes: what ends a cell or a line is a space within one. */
const tsvRows = (): RowWriter =>
  cellsBetween(
    { contentType: 'text/tab-separated-values; charset=utf-8', writerOf: tsvBytes, absent: '', between: TAB },
    { begin: (columns) => `${columns.map(({ name }) => tsvText(name)).join('\t')}\r\n`, firstRow: '', row: '', rowEnd: '\r\n', end: '' },
  );

const ROWS: Record<ReportFormat, () => RowWriter> = { json: jsonRows, csv: csvRows, tsv: tsvRows };

interface Frame {
  begin(columns: Column[]): string;
  firstRow: string;
  row: string;
  rowEnd: string;
  end: string;
}

const COMMA = 0x2c;
const TAB = 0x09;
const BOOLEAN = 16;

function cellsBetween(
  {
    contentType,
    writerOf,
    absent,
    between = COMMA,
  }: { contentType: string; writerOf(oid: number): CellBytes; absent: string; between?: number },
  frame: Frame,
): RowWriter {
  let writers: CellBytes[] = [];
  return {
    contentType,
    begin(out, columns, how) {
      writers = columns.map(({ oid }) => (oid === BOOLEAN && how?.truthAsNumbers ? truthBytes : writerOf(oid)));
      out.text(frame.begin(columns));
    },
    row(out, data, start, index) {
      out.text(index === 0 ? frame.firstRow : frame.row);
      const count = data.readInt16BE(start);
      let at = start + 2;
      for (let n = 0; n < count; n++) {
        if (n > 0) {
          out.reserve(1);
          out.bytes[out.length++] = between;
        }
        const length = data.readInt32BE(at);
        at += 4;
        if (length < 0) {
          out.text(absent);
          continue;
        }
        writers[n]!(out, data, at, at + length);
        at += length;
      }
      out.text(frame.rowEnd);
    },
    end: (out) => out.text(frame.end),
  };
}

/** A format made of strings, as a writer of bytes: for few rows. */
export function writerOf(format: RowFormat): RowWriter {
  return {
    contentType: format.contentType,
    begin: (out, columns) => out.text(format.begin(columns)),
    row: (out, data, at, index) => out.text(format.row(textsOf(data, at), index)),
    end: (out) => out.text(format.end()),
  };
}

function textsOf(data: Buffer, start: number): (string | null)[] {
  let at = start + 2;
  return Array.from({ length: data.readInt16BE(start) }, () => {
    const length = data.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return data.toString('utf8', at - length, at);
  });
}
