import type { FastifyReply } from 'fastify';
import { csvText } from '../domain/reports/cells.ts';
import { type Html, html } from './html.ts';

// Tables as files: the numbers as they are, not as they are written for people.

export type Cell = string | number | null;

/** One line; what a spreadsheet would run as a formula it does not. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map((cell) => csvText(String(cell ?? ''))).join(',')}\r\n`;

/** Marks an answer as a file of CSV. @param name without its ending */
export const asCsv = (reply: FastifyReply, name: string): FastifyReply =>
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}.csv"`);

/** Sends a table. */
export const sendCsv = (reply: FastifyReply, name: string, head: readonly string[], rows: readonly (readonly Cell[])[]): FastifyReply =>
  asCsv(reply, name).send([head, ...rows].map(csvLine).join(''));

/** Where a table can be had as a file. */
export const csvLink = (href: string, what: string): Html =>
  html`<p class="small take"><a href="${href}" download>CSV<span class="unseen"> of ${what}</span></a></p>`;
