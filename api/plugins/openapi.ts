import { hash } from 'node:crypto';
import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openapiDocument, operationId } from '../describe/openapi-document.ts';
import { operationOf } from '../describe/operation.ts';
import { open } from '../route-options.ts';

const DOCUMENT_PATH = '/rest/v1/openapi.json';

/**
 * The OpenAPI 3.1 document of every route registered after this, and the interactive page at /docs/, which needs nothing from elsewhere.
 * @param fullErrors whether answers that have no body by the specification have one
 */
export async function installOpenapi(app: FastifyInstance, baseUrl: () => string, fullErrors: boolean): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campaign platform',
        version: '1',
        description:
          'Users, mailings, whip counts and donations of an advocacy organisation. Where a schema says x-takes, its value is read leniently, as that kind: numbers and truth as text too; the keywords beside it say what the value then is.',
      },
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
      security: [{ basic: [] }],
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => {
      const method = [route.method].flat()[0] as string;
      const described = operationOf((schema ?? {}) as Parameters<typeof operationOf>[0], {
        operationId: operationId(method, url),
        method,
        url,
        config: route.config ?? {},
      });
      return { schema: described as never, url };
    },
  });
  let made: string | undefined;
  const text = () => (made ??= JSON.stringify(openapiDocument(app, baseUrl(), fullErrors)));
  // It takes half a second: before anybody calls, not while others wait behind whoever asks first.
  app.addHook('onListen', (done) => {
    text();
    done();
  });
  const schema = { tags: ['API'], summary: 'This document', response: { 200: { type: 'object', additionalProperties: true } } };
  app.get(DOCUMENT_PATH, { ...open(), schema }, (_request, reply) => {
    return reply
      .type('application/json; charset=utf-8')
      .serializer((it: string) => it)
      .send(text());
  });
  await app.register(async (docs) => {
    // Its routes are open, and are a page, not part of the API.
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, open: true };
      route.schema = { ...route.schema, hide: true } as never;
    });
    docs.addHook('onSend', async (_request, reply, payload) => {
      if (String(reply.getHeader('content-type')).startsWith('text/html'))
        reply.header('content-security-policy', policyOf(String(payload)));
    });
    await docs.register(apiReference, {
      routePrefix: '/docs',
      configuration: PAGE as never,
    });
  });
}

/** The page calls nobody but this service: its buttons for services of its maker are off. */
const PAGE = {
  url: DOCUMENT_PATH,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** What a page of the documentation may load, so that a version of it that calls home after all is stopped by the browser. */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, text = '']) =>
    text.trim() === '' ? [] : [`'sha256-${hash('sha256', text, 'base64')}'`],
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(' '),
    // The page writes styles as it goes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
