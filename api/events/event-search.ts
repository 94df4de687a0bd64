import type { FastifyInstance, preValidationHookHandler } from 'fastify';
import { isNear } from '../../core/events/near.ts';
import { type FieldAsked, hasField } from '../../core/events/with-field.ts';
import { readPlace } from '../../core/geo/read-place.ts';
import { missingIds } from '../../core/references.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, RequestError } from '../../domain/errors.ts';
import { EVENT_MILES, MOST_MILES } from '../../domain/targeting/fields.ts';
import { readNumber } from '../../domain/values.ts';
import { fragment } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { joinsOf } from '../resource/joins.ts';
import type { Condition } from '../resource/operators.ts';
import type { QueryParameters } from '../resource/query.ts';
import { Reader } from '../resource/read.ts';
import { ID_PARAMETER, idOf, mayFilter } from '../resource/routes.ts';
import { collectionSchema, objectSchema, querySchema } from '../resource/schema.ts';
import { can, requires } from '../route-options.ts';
import { checkExcluded, excludes, readExcluded } from './excluded-events.ts';

const SEARCH = {
  place: { type: 'string', description: 'A zip or a city (Albany, NY): events near its centre.' },
  radius: { type: 'number', description: `How near, in miles; ${EVENT_MILES} unless given. Only beside place.` },
  field__name: { type: 'string', description: 'Events with a custom field of this name.' },
  field__value: { type: 'string', description: 'Events with a custom field of this value; beside field__name, the field of that name.' },
};

/** `GET /rest/v1/campaign/<id>/event_search/`: the events of a campaign people may come to, with the filters and pages of events, near a place. */
export function registerEventSearch(app: FastifyInstance, context: ApiContext): void {
  const reader = new Reader(context.registry.get('event'), context);
  const schema = {
    tags: ['Events'],
    summary: 'Events of a campaign people may come to',
    params: ID_PARAMETER,
    querystring: querySchema(context, reader.resource, {
      properties: SEARCH,
      also: excludes,
      read: (query) => [readSearch(query as QueryParameters), readExcluded(context, reader.resource, query as QueryParameters, () => true)],
    }),
    response: {
      200: collectionSchema(objectSchema(reader.resource)),
      400: errorsBody('A place, filter, ordering or page that cannot be used.'),
      404: empty('No such campaign.'),
      ...COMMON,
    },
  };
  const { config } = requires('event:read');
  const joins = joinsOf(reader.resource, context.registry);
  const mayExclude: preValidationHookHandler = (request, _reply, done) => {
    checkExcluded(context, reader.resource, request.query as QueryParameters, (grant) => can(request, grant));
    done();
  };
  const preValidation = [withPlainNames, mayFilter(context, reader.resource), mayExclude];
  app.get('/rest/v1/campaign/:id/event_search/', { config: { ...config, joins }, preValidation, schema }, async (request) => {
    const id = idOf(request);
    const query = request.query as QueryParameters;
    const excluded = readExcluded(context, reader.resource, query, (grant) => can(request, grant));
    const search = [...readSearch(query), ...(excluded ? [excluded] : [])];
    const open = fragment<boolean>`t.campaign_id = ${id} and t.status = 'active' and not t.is_private and t.is_approved and t.host_is_confirmed`;
    const condition = search.reduce((all, each) => fragment<boolean>`${all} and ${each}`, open);
    // What the caller may not filter by is refused first: a 404 would tell which campaigns there are.
    const path = `/rest/v1/campaign/${id}/event_search/`;
    const page = await reader.page(request, path, { condition, madeOf: [...Object.keys(SEARCH), ...Object.keys(query).filter(excludes)] });
    if ((await missingIds(sqlOn(context.pool), context.registry, 'campaign', [id])).length > 0) throw new NotFoundError();
    return page;
  });
}

/** The public platform's search has filters as `filter[zip]=…`, and so its clients send them: here they are those of the list of events. */
const withPlainNames: preValidationHookHandler = (request, _reply, done) => {
  const query = new Map<string, string[]>();
  for (const [name, given] of Object.entries(request.query as QueryParameters)) {
    const plain = /^filter\[([^[\]]+)\]$/.exec(name)?.[1] ?? name;
    query.set(plain, [query.get(plain) ?? [], given ?? ''].flat());
  }
  request.query = Object.fromEntries([...query].map(([name, texts]) => [name, texts.length > 1 ? texts : texts[0]]));
  done();
};

/** What the search knows beside filters. @throws RequestError */
const readSearch = (query: QueryParameters): Condition[] => [readNear(query), readField(query)].filter((each) => each !== null);

/** @returns a condition, or nothing. @throws RequestError */
function readField(query: QueryParameters): Condition | null {
  const asked: FieldAsked = {};
  for (const part of ['name', 'value'] as const) {
    const given = query[`field__${part}`];
    if (Array.isArray(given)) throw new RequestError({ [`field__${part}`]: `field__${part} is given more than once` });
    if (given !== undefined) asked[part] = given;
  }
  return Object.keys(asked).length > 0 ? hasField(asked) : null;
}

/** @returns a condition, or nothing. @throws RequestError */
function readNear({ place, radius }: QueryParameters): Condition | null {
  const read = <Value>(name: string, given: QueryParameters[string], how: (text: string) => Value): Value => {
    try {
      if (Array.isArray(given)) throw new Error('is given more than once');
      return how(given ?? '');
    } catch (error) {
      throw new RequestError({ [name]: `${name} ${(error as Error).message}` });
    }
  };
  if (place === undefined || place === '') {
    if (radius !== undefined && radius !== '') throw new RequestError({ place: 'place is needed beside radius' });
    return null;
  }
  const miles = radius === undefined || radius === '' ? EVENT_MILES : read('radius', radius, readMiles);
  return read('place', place, (text) => isNear(readPlace(text.trim()), miles));
}

function readMiles(text: string): number {
  const miles = readNumber(text);
  if (miles <= 0 || miles > MOST_MILES) throw new Error(`must be miles, above zero and at most ${MOST_MILES}`);
  return miles;
}
