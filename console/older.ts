import type { FastifyRequest } from 'fastify';
import type { Before } from '../core/people/person-record.ts';
import { type Html, html } from './html.ts';

const PAGE = 50;
/** Of an id, which may be a large one: a table that grows without end has more rows than an int counts. */
const ID = /^[1-9]\d{0,14}$/;

/** An id as it comes in a query or a form; null for anything else. */
export const readLargeId = (given: unknown): number | null => (typeof given === 'string' && ID.test(given) ? Number(given) : null);

/** Which page of a list that goes from the newest back is asked for: one row more than it shows says whether there is another. */
export function readBefore(request: FastifyRequest): Before {
  const { before } = request.query as Record<string, unknown>;
  return { before: readLargeId(before), limit: PAGE + 1 };
}

/** The rows of a page, and the link to the one behind it. @param idOf what the next page begins before; @param kept what else stands in the query */
export function pageOf<Row>(
  rows: Row[],
  path: string,
  idOf: (row: Row) => number,
  kept: Record<string, string> = {},
): { rows: Row[]; link: Html | '' } {
  const shown = rows.slice(0, PAGE);
  const next = () => String(new URLSearchParams({ ...kept, before: String(idOf(shown.at(-1)!)) }));
  const link =
    rows.length > PAGE
      ? html`<nav class="pager" aria-label="Pages"><a href="${path}?${next()}" rel="next">Older →</a></nav>`
      : ('' as const);
  return { rows: shown, link };
}
