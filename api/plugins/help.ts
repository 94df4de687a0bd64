import type { FastifyInstance } from 'fastify';
import { ERROR_GUIDE } from '../describe/error-guide.ts';
import { errorHtml } from '../describe/error-page.ts';
import { open } from '../route-options.ts';
import { isOfApi } from './asked-path.ts';

const PATH = '/docs/errors/';
const KNOWN = new Set(ERROR_GUIDE.map(({ status }) => status));

/** The page of errors, and the link to it in every answer of the API that is one. Called before any route is registered. */
export function installHelp(app: FastifyInstance, baseUrl: () => string): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode >= 400 && KNOWN.has(reply.statusCode) && isOfApi(request))
      reply.header('link', `<${baseUrl()}${PATH}#${reply.statusCode}>; rel="help"`);
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
