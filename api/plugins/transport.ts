import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { readBodies } from './bodies.ts';
import { installCors } from './cors.ts';
import { installGathering } from './gathered-bodies.ts';
import { refuseOtherOverrides } from './method-override.ts';
import { OfferedRoutes } from './offered-routes.ts';
import { installUnpacking } from './packed-bodies.ts';

/**
 * How bodies are read, and what is answered where there is no route. Called before any route is registered.
 * @param corsOrigins CORS_ORIGINS
 */
export function installTransport(app: FastifyInstance, corsOrigins: string): void {
  const offered = new OfferedRoutes(app);
  installUnpacking(app);
  installGathering(app);
  readBodies(app);
  installCors(app, corsOrigins, offered);
  answerMissingRoutes(app, offered);
  refuseOtherOverrides(app);
  refuseJsonp(app);
}

function answerMissingRoutes(app: FastifyInstance, offered: OfferedRoutes): void {
  // Here and not in the handler: nobody has to read a body, or show credentials, to be told there is nothing.
  app.addHook('onRequest', (request, reply, done) => {
    // The router takes `schema` for an id where a method has no schema/ of its own.
    if (!request.is404 && isSchemaAsId(request)) return void reply.code(405).header('allow', 'GET, HEAD').send();
    if (!request.is404) return done();
    const methods = offered.methodsAt(request);
    if (methods.length === 0) return void reply.code(404).send();
    reply.code(405).header('allow', methods.join(', ')).send();
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
}

const isSchemaAsId = ({ routeOptions, params }: FastifyRequest) =>
  routeOptions.url?.endsWith('/:id/') === true && (params as { id?: string }).id === 'schema';

/** Who asks for JSONP cannot use JSON: a script of theirs would fail without a word. Reports have parameters of any name. */
function refuseJsonp(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const { url = '' } = request.routeOptions;
    const asks = request.method === 'GET' && /^\/rest\/v1\/(?!report\/)/.test(url) && Object.hasOwn(request.query as object, 'callback');
    done(asks ? new RequestError({ callback: 'JSONP is not offered; ask without callback.' }) : undefined);
  });
}
