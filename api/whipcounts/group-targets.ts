import type { FastifyInstance, FastifyRequest } from 'fastify';
import { missingIds } from '../../core/references.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { fragment } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { joinsOf } from '../resource/joins.ts';
import { Reader } from '../resource/read.ts';
import { ID_PARAMETER, idOf, mayFilter } from '../resource/routes.ts';
import { collectionSchema, objectSchema, querySchema } from '../resource/schema.ts';
import { requires } from '../route-options.ts';

/** `GET /rest/v1/targetgroup/<id>/all/`: every target of a group, whatever the caller's constituency, with the filters and pages of targets. */
export function registerGroupTargets(app: FastifyInstance, context: ApiContext): void {
  const reader = new Reader(context.registry.get('target'), context);
  const schema = {
    tags: ['Whip counts'],
    summary: 'Every target of a group',
    params: ID_PARAMETER,
    querystring: querySchema(context, reader.resource),
    response: {
      200: collectionSchema(objectSchema(reader.resource)),
      400: errorsBody('A filter, ordering or page that cannot be used.'),
      404: empty('No such group.'),
      ...COMMON,
    },
  };
  const { config } = requires('targetgroup:read');
  const joins = joinsOf(reader.resource, context.registry);
  const mustExist = async (request: FastifyRequest) => {
    const missing = await missingIds(sqlOn(context.pool), context.registry, 'targetgroup', [idOf(request)]);
    if (missing.length > 0) throw new NotFoundError();
  };
  const preValidation = [mustExist, mayFilter(context, reader.resource)];
  app.get('/rest/v1/targetgroup/:id/all/', { config: { ...config, joins }, preValidation, schema }, async (request) => {
    const id = idOf(request);
    const members = fragment<boolean>`t.id in (select m.target_id from core_targetgroup_targets m where m.targetgroup_id = ${id})`;
    return reader.page(request, `/rest/v1/targetgroup/${id}/all/`, { condition: members });
  });
}
