import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { openapiDocument, operationId } from '../describe/openapi-document.ts';
import { operationOf } from '../describe/operation.ts';
import { open } from '../route-options.ts';
import { installReference } from './reference.ts';

const DOCUMENT_PATH = '/rest/v1/openapi.json';

/**
 * The OpenAPI 3.1 document of every route registered after this, and the page that shows it (reference.ts).
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
  installReference(app, DOCUMENT_PATH);
}
