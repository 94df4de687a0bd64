import { hash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { openapiDocument, operationId } from '../describe/openapi-document.ts';
import { operationOf } from '../describe/operation.ts';
import { empty } from '../resource/answers.ts';
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
  let made: { bytes: Buffer; etag: string } | undefined;
  const document = () => {
    if (made) return made;
    // As bytes: a text of megabytes would be encoded anew for each who asks.
    const bytes = Buffer.from(JSON.stringify(openapiDocument(app, baseUrl(), fullErrors)));
    made = { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` };
    return made;
  };
  // It takes half a second: before anybody calls, not while others wait behind whoever asks first.
  app.addHook('onListen', (done) => {
    document();
    done();
  });
  const schema = {
    tags: ['API'],
    summary: 'This document',
    response: { 200: { type: 'object', additionalProperties: true }, 304: empty('It is the one that If-None-Match names.') },
  };
  app.get(DOCUMENT_PATH, { ...open(), schema }, (request, reply) => {
    const { bytes, etag } = document();
    // It says nothing about people: whoever has it may keep it, and asks whether it is still the same.
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (names(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
  installReference(app, DOCUMENT_PATH);
}

/** Whether an If-None-Match header has the tag among its own; a proxy that packs an answer makes its tag a weak one. */
const names = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag) ?? false;
