import type { FastifyRequest } from 'fastify';
import { readId } from '../../api/resource/paths.ts';
import { countReports, listReports } from '../../core/reports/list-reports.ts';
import type { Sql } from '../../db/sql.ts';
import { type Html, html } from '../html.ts';
import { leading } from '../numbers.ts';

const PAGE = 500;

/** The saved reports, a page of them by name. */
export async function reportList(sql: Sql, { query }: FastifyRequest): Promise<Html> {
  const { after } = query as Record<string, unknown>;
  const which = { after: typeof after === 'string' ? readId(after) : null, limit: PAGE + 1 };
  const [reports, many] = await Promise.all([listReports(sql, which), countReports(sql)]);
  if (many === 0)
    return html`<p class="none">No report is saved yet. One is saved over the <a href="/docs/">API</a>: <code>POST /rest/v1/queryreport/</code>.</p>`;
  const shown = reports.slice(0, PAGE);
  const rows = shown.map(
    ({ name, short_name: short, description }) =>
      html`<li><div class="what"><a href="/console/reports/${encodeURIComponent(short)}/">${name}</a><small>${short}</small></div><p class="small">${description}</p></li>`,
  );
  const next =
    reports.length > PAGE
      ? html`<nav class="pager" aria-label="Pages"><a href="?after=${shown.at(-1)!.id}" rel="next">After →</a></nav>`
      : '';
  return html`${leading(many, 'report', 'reports')}<ul class="rows reports">${rows}</ul>${next}`;
}
