import { type CellWriter, csvText, csvWriter, jsonWriter } from './cells.ts';

/** How rows become text, one row at a time: what stands before, between and after them. */
export interface RowFormat {
  contentType: string;
  begin(columns: Column[]): string;
  /** @param row PostgreSQL's text of each value, or null */
  row(row: (string | null)[], index: number): string;
  end(): string;
}

export interface Column {
  name: string;
  /** Of its type. */
  oid: number;
}

export const REPORT_FORMATS = ['json', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const rowFormat = (format: ReportFormat): RowFormat => (format === 'csv' ? csvRows() : jsonRows());

/** A JSON array of row arrays. */
function jsonRows(): RowFormat {
  let writers: CellWriter[] = [];
  return {
    contentType: 'application/json; charset=utf-8',
    begin(columns) {
      writers = columns.map(({ oid }) => jsonWriter(oid));
      return '[';
    },
    row: (row, index) => {
      let text = index === 0 ? '[' : ',\n[';
      for (let i = 0; i < row.length; i++) {
        const value = row[i];
        if (i > 0) text += ',';
        text += value === null || value === undefined ? 'null' : writers[i]!(value);
      }
      return `${text}]`;
    },
    end: () => ']',
  };
}

/** RFC 4180 with a line of column names. */
function csvRows(): RowFormat {
  let writers: CellWriter[] = [];
  return {
    contentType: 'text/csv; charset=utf-8',
    begin(columns) {
      writers = columns.map(({ oid }) => csvWriter(oid));
      return `${columns.map(({ name }) => csvText(name)).join(',')}\r\n`;
    },
    row: (row) => `${row.map((value, i) => (value === null ? '' : writers[i]!(value))).join(',')}\r\n`,
    end: () => '',
  };
}
