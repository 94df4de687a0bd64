import type { FastifyRequest } from 'fastify';

/**
 * Whether a page may have had a browser send this, and nobody whose credentials it holds. A page of any site may have it send a form, a file, or no body at all, unasked, and the
 * browser adds the credentials it remembers for us. For JSON it asks first, and is not told yes. Pages of this site are no better where they show what somebody wrote, as
 * those of whip counts do.
 */
export function isUnasked({ headers, host }: FastifyRequest): boolean {
  if (/^(application|text)\/json\b/i.test(headers['content-type'] ?? '')) return false;
  return isSentByForm(headers) || (headers.origin !== undefined && URL.parse(headers.origin)?.host !== host);
}

/** Over plain HTTP a browser says nothing of what it asks for: then by what it takes. */
function isSentByForm({ origin, accept = '', 'sec-fetch-mode': mode }: FastifyRequest['headers']): boolean {
  return mode === undefined ? origin !== undefined && accept.includes('text/html') : mode === 'navigate';
}
