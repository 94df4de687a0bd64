import type { FastifyInstance, FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify';
import { NotFoundError } from '../../domain/errors.ts';
import { stateOfJob } from '../asked-run.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { can, requires } from '../route-options.ts';
import { COMMON, empty, errorsBody, validationBody, withLocation } from './answers.ts';
import { takesForm } from './form.ts';
import { joinsOf } from './joins.ts';
import { methodsAt } from './offered.ts';
import { ID_PARAMETER, idOf, pathsOf } from './paths.ts';
import { checkGrants, type QueryParameters } from './query.ts';
import { Reader } from './read.ts';
import type { Registry, Resource } from './registry.ts';
import { collectionSchema, inputSchema, objectSchema, querySchema, schemaDocument } from './schema.ts';
import { registerSet } from './sets.ts';
import { Writer } from './write.ts';

export { ID_PARAMETER, idOf } from './paths.ts';

/** A filter that takes a further grant is refused before what is wrong with it is told. */
export const mayFilter =
  (context: ApiContext, resource: Resource): preValidationHookHandler =>
  (request, _reply, done) => {
    checkGrants(context, resource, request.query as QueryParameters, (grant) => can(request, grant));
    done();
  };

/** Registers every route of a resource. */
export function registerResource(app: FastifyInstance, resource: Resource, context: ApiContext): void {
  const { name, permission, methods, declaration } = resource;
  const path = `/rest/v1/${name}/`;
  const reader = new Reader(resource, context);
  const writer = new Writer(resource, context);
  const about = { tags: [declaration.area] };
  const allow = (grant: string) => requires(`${permission}:${grant}`, { resource: name, forms: grant === 'write' });
  const paths = pathsOf(resource, context);
  const asJson = takesForm(resource.fields);
  // A name in the path is read as the id it stands for.
  const asId = paths.byName ? [paths.byName] : [];
  const whole = methods.has('create') || methods.has('place') ? inputSchema(context, resource, true) : {};
  const changes = methods.has('update') ? inputSchema(context, resource, false) : {};
  // Gives nothing back: a reply that is waited for is waited for until it has been sent.
  const location = async (reply: FastifyReply, id: number): Promise<void> => {
    reply.header('location', await paths.locationOf(id));
  };
  const updated = context.env.API_STATUS_CODES === 'live' ? 204 : 202;
  const refused = { 400: validationBody(name), ...COMMON };
  const conflict = { 409: errorsBody('A unique key is taken; Location is the object that holds it.') };

  if (methods.has('list')) {
    const schema = {
      ...about,
      summary: `List: ${declaration.about}`,
      description:
        'One page of those that match the filters, newest last unless order_by says otherwise. `next` leads to the page after it.',
      querystring: querySchema(context, resource),
      response: {
        200: collectionSchema(objectSchema(resource)),
        400: errorsBody('A filter, ordering or page that cannot be used.'),
        ...COMMON,
      },
    };
    const { config } = allow('read');
    const joins = joinsOf(resource, context.registry);
    app.get(path, { config: { ...config, joins }, preValidation: mayFilter(context, resource), schema }, (request) =>
      reader.page(request, path),
    );
  }
  if (methods.has('create')) {
    const schema = {
      ...about,
      summary: `Create: ${declaration.about}`,
      description: 'Location is the address of the new object; there is no body.',
      headers: IDEMPOTENCY_KEY,
      body: whole,
      response: { 201: withLocation('Created.'), ...refused, ...conflict },
    };
    app.post(path, { ...allow('write'), preValidation: asJson, schema }, async (request, reply) => {
      await location(reply.code(201), await writer.create(request, request.body, repeatable(request)));
      return reply.send();
    });
  }
  app.get(
    `${path}schema/`,
    {
      ...allow('read'),
      schema: { ...about, ...SCHEMA_WORDS, summary: `Fields and filters of ${name}`, response: { 200: DOCUMENT, ...COMMON } },
    },
    () => schemaDocument(resource, { list: methodsAt(app, path), detail: methodsAt(app, `${path}:id/`) }),
  );
  if (methods.has('get')) {
    const schema = {
      ...about,
      summary: `Read: ${declaration.about}`,
      description: 'The object with all its fields.',
      params: ID_PARAMETER,
      response: { 200: objectSchema(resource), 404: empty('Absent.'), ...COMMON },
    };
    app.get(`${path}:id/`, { ...allow('read'), preValidation: asId, schema }, async (request) => {
      const id = idOf(request);
      const read = () => reader.one(id, (grant) => can(request, grant));
      const { job } = declaration;
      const found = job
        ? await stateOfJob({ workflows: context.workflows, log: request.log }, { run: job.run(id), read, over: job.over })
        : await read();
      if (!found) throw new NotFoundError();
      return found;
    });
    const several = {
      ...about,
      summary: `Read several: ${declaration.about}`,
      description: 'Those of these ids that there are, in this order, and the ids of which there are none.',
    };
    registerSet(app, reader, allow('read'), { about: several, item: objectSchema(resource), common: COMMON });
  }
  if (methods.has('place')) {
    const schema = {
      ...about,
      summary: `Create under this id, or replace what has it: ${declaration.about}`,
      description: 'Every field that is not sent has its default afterwards.',
      params: ID_PARAMETER,
      body: whole,
      response: { 201: withLocation('Created.'), 202: empty('Replaced.'), 404: empty('No such id can be.'), ...refused, ...conflict },
    };
    app.post(`${path}:id/`, { ...allow('write'), preValidation: [...asId, asJson], schema }, async (request, reply) => {
      const id = idOf(request);
      const created = await writer.place(id, request);
      await location(reply.code(created ? 201 : 202), id);
      return reply.send();
    });
  }
  if (methods.has('update')) {
    for (const method of ['PUT', 'PATCH'] as const) {
      const code = method === 'PUT' ? updated : 202;
      const schema = {
        ...about,
        summary: `Change what is sent: ${declaration.about}`,
        description: 'Fields that are not sent stay as they are; PUT and PATCH do the same. There is no body in the answer.',
        params: ID_PARAMETER,
        body: changes,
        response: { [code]: empty('Changed.'), 404: empty('Absent.'), ...refused, ...conflict },
      };
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        await writer.update(idOf(request), request);
        return reply.code(code).send();
      };
      app.route({ method, url: `${path}:id/`, ...allow('write'), preValidation: [...asId, asJson], schema, handler });
    }
  }
  if (methods.has('delete')) {
    const schema = {
      ...about,
      summary: `Delete: ${declaration.about}`,
      description: 'Cannot be undone. What refers to it goes with it, or is in the way and named.',
      params: ID_PARAMETER,
      response: { 204: empty('Deleted.'), 400: validationBody(name), 404: empty('Absent.'), ...COMMON },
    };
    app.delete(`${path}:id/`, { ...allow('delete'), preValidation: asId, schema }, async (request, reply) => {
      await writer.delete(idOf(request), request);
      return reply.code(204).send();
    });
  }
}

export const DOCUMENT = { type: 'object', additionalProperties: true };
export const SCHEMA_WORDS = {
  description: 'Of each field its type, whether it is taken and what it means; filters with their operators; orderings; methods.',
};

/** `GET /rest/v1/`: every resource and where it is. `elsewhere`: names of those with routes of their own. */
export function registerIndex(app: FastifyInstance, registry: Registry, elsewhere: string[]): void {
  const names = [...registry.all().map(({ name }) => name), ...elsewhere].sort();
  const index = Object.fromEntries(names.map((name) => [name, { list_endpoint: `/rest/v1/${name}/`, schema: `/rest/v1/${name}/schema/` }]));
  const schema = { tags: ['API'], summary: 'Every resource and where it is', response: { 200: DOCUMENT, 401: COMMON[401] } };
  app.get('/rest/v1/', { ...requires('authenticated'), schema }, () => index);
}
