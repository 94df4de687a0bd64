import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import createError from '@fastify/error';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { tooDeep } from './json-depth.ts';

const WrongType = createError('FST_ERR_CTP_INVALID_MEDIA_TYPE', 'This content type is not taken here.', 415);

/** How bodies are read, and what is answered where there is no route. Called before any route is registered. */
export function installTransport(app: FastifyInstance): void {
  readBodies(app);
  answerMissingRoutes(app);
}

function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'ignore');
  const takesForms = (request: FastifyRequest) => request.routeOptions.config.forms === true;
  const ignores = (request: FastifyRequest) => request.routeOptions.config.anyBody === true;
  app.removeAllContentTypeParsers();

  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0 || ignores(request)) return done(null, undefined);
    // Decoded all the same, a name in another encoding would be stored with question marks in it.
    if (!isUtf8(bytes as Buffer)) return done(new RequestError({ body: 'This is not UTF-8.' }));
    const body = bytes.toString();
    // A client in the field sends a form under this type: only where forms are taken, and never what could be JSON.
    if (takesForms(request) && /^[^{["\s]/.test(body) && body.includes('=')) return done(null, fields(body));
    const deep = tooDeep(body);
    if (deep) return done(new RequestError({ body: deep }));
    parseJson(request, body, (error, value) => {
      if (error) done(new RequestError({ body: 'This is not JSON.' }));
      else done(null, value);
    });
  });
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0 || ignores(request)) return done(null, undefined);
    if (!takesForms(request)) return done(new WrongType());
    done(null, fields(body as string));
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0 || ignores(request)) return done(null, undefined);
    done(new WrongType());
  });
}

/** A form as an object: a repeated name is a list. */
function fields(body: string): Record<string, unknown> {
  return { ...parseForm(body, undefined, undefined, { maxKeys: 10_000 }) };
}

function answerMissingRoutes(app: FastifyInstance): void {
  const offered = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.replace(/\/+$/, '') || '/';
    const known = offered.get(path) ?? { pattern: patternOf(path), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    offered.set(path, known);
  });
  // Here and not in the handler: nobody has to read a body, or show credentials, to be told there is nothing.
  app.addHook('onRequest', (request, reply, done) => {
    // The router takes `schema` for an id where a method has no schema/ of its own.
    if (!request.is404 && isSchemaAsId(request)) return void reply.code(405).header('allow', 'GET, HEAD').send();
    if (!request.is404) return done();
    const path = request.url.replace(/\?.*$/s, '').replace(/\/{2,}/g, '/');
    const methods = [...offered.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []));
    if (methods.length === 0) return void reply.code(404).send();
    reply
      .code(405)
      .header('allow', [...new Set(methods)].join(', '))
      .send();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
}

const isSchemaAsId = ({ routeOptions, params }: FastifyRequest) =>
  routeOptions.url?.endsWith('/:id/') === true && (params as { id?: string }).id === 'schema';

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
