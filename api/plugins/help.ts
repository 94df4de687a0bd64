import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ERROR_GUIDE } from '../describe/error-guide.ts';
import { errorHtml } from '../describe/error-page.ts';
import { open } from '../route-options.ts';
import { isOfApi } from './asked-path.ts';

const PATH = '/docs/errors/';
const KNOWN = new Set(ERROR_GUIDE.map(({ status }) => status));

/** The header of an answer of the API, or to what could not be read (null), that leads to what its status means; none of any other. */
export const helpHeader = (request: FastifyRequest | null, status: number, baseUrl: string): Record<string, string> =>
  status >= 400 && KNOWN.has(status) && (!request || isOfApi(request)) ? { link: `<${baseUrl}${PATH}#${status}>; rel="help"` } : {};

/** The page of errors, and the link to it in every answer of the API that is one. Called before any route is registered. */
export function installHelp(app: FastifyInstance, baseUrl: () => string): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(helpHeader(request, reply.statusCode, baseUrl()));
    done(null, payload);
  });
  const page = errorHtml();
  app.get(PATH, { ...open(), schema: { hide: true } as object }, (_request, reply) =>
    reply
      .headers({
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        'cache-control': 'public, max-age=3600',
      })
      .type('text/html; charset=utf-8')
      .send(page),
  );
}
