import type { FastifyRequest } from 'fastify';
import { countReports, listReports } from '../../core/reports/list-reports.ts';
import type { Sql } from '../../db/sql.ts';
import { pageByName, readAfter } from '../by-name.ts';
import { type Html, html } from '../html.ts';
import { leading } from '../numbers.ts';

const PAGE = 500;

/** The saved reports, a page of them by name. */
export async function reportList(sql: Sql, request: FastifyRequest): Promise<Html> {
  const [reports, many] = await Promise.all([listReports(sql, readAfter(request, PAGE)), countReports(sql)]);
  if (many === 0)
    return html`<p class="none">No report is saved yet. One is saved over the <a href="/docs/">API</a>: <code>POST /rest/v1/queryreport/</code>.</p>`;
  const { rows: shown, link } = pageByName(reports, PAGE);
  const rows = shown.map(
    ({ name, short_name: short, description }) =>
      html`<li><div class="what"><a href="/console/reports/${encodeURIComponent(short)}/">${name}</a><small>${short}</small></div><p class="small">${description}</p></li>`,
  );
  return html`${leading(many, 'report', 'reports')}<ul class="rows reports">${rows}</ul>${link}`;
}
