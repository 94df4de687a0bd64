import type { FastifyRequest } from 'fastify';
import { readId } from '../api/resource/paths.ts';
import { type Html, html } from './html.ts';

// Pages of what stands in the order of its names.

/** Which page is asked for: what stands behind the one of this id. One row more than is shown says whether there is another. */
export function readAfter({ query }: FastifyRequest, size: number): { after: number | null; limit: number } {
  const { after } = query as Record<string, unknown>;
  return { after: typeof after === 'string' ? readId(after) : null, limit: size + 1 };
}

/** The rows of a page, and the link to the one behind it. @param kept what else stands in the query */
export function pageByName<Row extends { id: number }>(
  rows: Row[],
  size: number,
  kept: Record<string, string> = {},
): { rows: Row[]; link: Html | '' } {
  const shown = rows.slice(0, size);
  if (rows.length <= size) return { rows: shown, link: '' };
  const next = new URLSearchParams({ ...kept, after: String(shown.at(-1)!.id) });
  return { rows: shown, link: html`<nav class="pager" aria-label="Pages"><a href="?${String(next)}" rel="next">After →</a></nav>` };
}
