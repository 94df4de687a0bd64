import type { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import type { ReportResult } from '../../api/reports/runner.ts';
import { type Html, html } from '../html.ts';
import { count, counted } from '../numbers.ts';

/** So many rows are shown, and cells of them, each of which takes its time; a file has all of them. */
const MOST_ROWS = 200;
const MOST_CELLS = 20_000;
/** And so much of their text. */
const MOST_BYTES = 512 * 1024;

/** The beginning of a result. */
export interface ShownResult {
  columns: string[];
  rows: string[][];
  /** There are more rows. */
  more: boolean;
}

/** Reads as much of a result in CSV as is shown, and calls off the rest. @throws what ended the statement late */
export async function readBeginning({ content }: ReportResult): Promise<ShownResult> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : await beginningOf(content);
  const whole = bytes.length <= MOST_BYTES;
  const beginning = whole ? bytes.toString() : closed(bytes.toString('utf8', 0, MOST_BYTES));
  const [columns = []] = linesOf(beginning, 1);
  const most = Math.min(MOST_ROWS, Math.ceil(MOST_CELLS / Math.max(1, columns.length)));
  const rows = linesOf(beginning, most + 2).slice(1);
  const more = !whole || rows.length > most;
  // A row that was cut is left out, unless it is all there is to see.
  if (!whole && rows.length <= most && rows.length > 1) rows.pop();
  return { columns, rows: rows.slice(0, most), more };
}

/** A text that was cut, in a value perhaps, whose line breaks end no row. */
const closed = (text: string): string => (text.split('"').length % 2 === 0 ? `${text}…"` : text);

const linesOf = (text: string, most: number): string[][] => parse(text, { relax_column_count: true, relax_quotes: true, to: most });

/** Somewhat more than is shown, where there is as much. */
async function beginningOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** A number, as the database writes one: 0.00005 is 5e-05. */
export const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?(e[-+]\d+)?$/.test(text);

/** A result as a table. */
export function resultTable({ columns, rows, more }: ShownResult): Html {
  const numeric = columns.map(
    (_, column) => rows.some((row) => row[column]) && rows.every((row) => !row[column] || isNumber(row[column]!)),
  );
  const cell = (text: string, column: number) => html`<td${numeric[column] ? html` class="n"` : ''}>${text}</td>`;
  return html`<section class="card" aria-labelledby="result-title"><h2 id="result-title">${more ? `The first ${count(rows.length)} rows` : counted(rows.length, 'row', 'rows')}</h2>
${more ? html`<p class="small">There are more: the CSV has all of them.</p>` : ''}
<div class="scroll" tabindex="0" role="group" aria-labelledby="result-title"><table><thead><tr>${columns.map((name, column) => html`<th scope="col"${numeric[column] ? html` class="n"` : ''}>${name}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody></table></div></section>`;
}
