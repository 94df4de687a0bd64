import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { csvText } from '../domain/reports/cells.ts';
import { type Html, html } from './html.ts';

// Tables as files: the numbers as they are, not as they are written for people.

export type Cell = string | number | null;

/** One line; what a spreadsheet would run as a formula it does not. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map((cell) => csvText(String(cell ?? ''))).join(',')}\r\n`;

/** A spreadsheet takes the letters of a file for those of its machine's own code page, unless the file begins by saying that it is Unicode. */
const MARK = '\uFEFF';

/** Sends lines as a file. @param name without its ending @param content a piece at a time, where there may be much */
export const sendLines = (reply: FastifyReply, name: string, content: string | AsyncIterable<string | Buffer>): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(typeof content === 'string' ? MARK + content : Readable.from(marked(content)));

async function* marked(content: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  let begun = false;
  for await (const piece of content) {
    // Not before there is something: what fails at once is told as an error.
    if (!begun) yield MARK;
    begun = true;
    yield piece;
  }
}

/** Sends a table. */
export const sendCsv = (reply: FastifyReply, name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): FastifyReply =>
  sendLines(reply, name, [head, ...rows].map(csvLine).join(''));

/** Where a table can be had as a file. */
export const csvLink = (href: string, what: string): Html =>
  html`<p class="small take"><a href="${href}" download>CSV<span class="unseen"> of ${what}</span></a></p>`;
