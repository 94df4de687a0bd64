import type { FastifyInstance } from 'fastify';
import { missingIds } from '../../core/references.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { joinsOf } from '../resource/joins.ts';
import type { QueryParameters } from '../resource/query.ts';
import { Reader } from '../resource/read.ts';
import { DESCRIBES_ONLY, ID_PARAMETER, idOf } from '../resource/routes.ts';
import { collectionSchema, objectSchema, querySchema } from '../resource/schema.ts';
import { can, requires } from '../route-options.ts';

/** `GET /rest/v1/campaign/<id>/event_search/`: the events of a campaign people may come to, with the filters and pages of events. */
export function registerEventSearch(app: FastifyInstance, context: ApiContext): void {
  const reader = new Reader(context.registry.get('event'), context);
  const schema = {
    tags: ['Events'],
    summary: 'Events of a campaign people may come to',
    params: ID_PARAMETER,
    querystring: querySchema(reader.resource),
    response: {
      200: collectionSchema(objectSchema(reader.resource)),
      400: errorsBody('A filter, ordering or page that cannot be used.'),
      404: empty('No such campaign.'),
      ...COMMON,
    },
  };
  const { config } = requires('event:read');
  const joins = joinsOf(reader.resource, context.registry);
  app.get('/rest/v1/campaign/:id/event_search/', { ...DESCRIBES_ONLY, config: { ...config, joins }, schema }, async (request) => {
    const id = idOf(request);
    const open = `t.campaign_id = ${id} and t.status = 'active' and not t.is_private`;
    // What the caller may not filter by is refused first: a 404 would tell which campaigns there are.
    const path = `/rest/v1/campaign/${id}/event_search/`;
    const page = await reader.page(request.query as QueryParameters, path, (grant) => can(request, grant), open);
    if ((await missingIds(sqlOn(context.pool), context.registry, 'campaign', [id])).length > 0) throw new NotFoundError();
    return page;
  });
}
