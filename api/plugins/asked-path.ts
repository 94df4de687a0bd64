import type { FastifyRequest } from 'fastify';

/** The path as the router takes it: an address may be a whole URL, or have slashes twice. */
export const writtenPath = ({ url }: FastifyRequest): string =>
  url
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/\?.*$/s, '')
    .replace(/\/{2,}/g, '/');

/** The path of the route that a request has come to, however it is written; where there is none, as it is written. */
export const askedPath = (request: FastifyRequest): string =>
  (request.is404 ? undefined : request.routeOptions.url) ?? writtenPath(request);

export const isOfApi = (request: FastifyRequest): boolean => askedPath(request).startsWith('/rest/');
