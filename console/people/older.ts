import type { FastifyRequest } from 'fastify';
import { readId } from '../../api/resource/paths.ts';
import type { Before } from '../../core/people/person-record.ts';
import { type Html, html } from '../html.ts';

const PAGE = 50;

/** Which page of a list that goes from the newest back is asked for: one row more than it shows says whether there is another. */
export function readBefore(request: FastifyRequest): Before {
  const { before } = request.query as Record<string, unknown>;
  return { before: typeof before === 'string' ? readId(before) : null, limit: PAGE + 1 };
}

/** The rows of a page, and the link to the one behind it. @param idOf what the next page begins before */
export function pageOf<Row>(rows: Row[], path: string, idOf: (row: Row) => number): { rows: Row[]; link: Html | '' } {
  const shown = rows.slice(0, PAGE);
  const link =
    rows.length > PAGE
      ? html`<nav class="pager" aria-label="Pages"><a href="${path}?before=${idOf(shown.at(-1)!)}" rel="next">Older →</a></nav>`
      : ('' as const);
  return { rows: shown, link };
}

/** The head of a column of numbers. */
export const numbers = (word: string): Html => html`<th scope="col" class="n">${word}</th>`;

/** A table that scrolls by itself where it is too wide. */
export const table = (label: string, heads: (string | Html)[], rows: Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map((head) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head))}</tr></thead><tbody>${rows}</tbody></table></div>`;
