import type { FastifyRequest } from 'fastify';

/** The path as the router takes it: an address may be a whole URL, or have slashes twice. */
export const writtenPath = ({ url }: FastifyRequest): string =>
  url
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/\?.*$/s, '')
    .replace(/\/{2,}/g, '/');

const OF_CONSOLE = /^(?:https?:\/\/[^/?#]*)?\/+console\/[^?#]*/i;

/** For Fastify's `rewriteUrl`: a path of the console that cannot be decoded becomes one that leads nowhere there. The router answers it by itself, in JSON; people are answered with a page. */
export function decodable(url: string): string {
  const [path = ''] = OF_CONSOLE.exec(url) ?? [];
  try {
    decodeURI(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** The path of the route that a request has come to, however it is written; where there is none, as it is written. */
export const askedPath = (request: FastifyRequest): string =>
  (request.is404 ? undefined : request.routeOptions.url) ?? writtenPath(request);

export const isOfApi = (request: FastifyRequest): boolean => askedPath(request).startsWith('/rest/');
