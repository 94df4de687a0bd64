import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPageOfType } from '../../core/pages/find-page.ts';
import { readReference } from '../../core/references.ts';
import { type CallerPlace, callerTargets, placeOfUser, placeOfZip } from '../../core/whipcounts/caller-targets.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, PermissionError, RequestError } from '../../domain/errors.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { Reader } from '../resource/read.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { objectSchema } from '../resource/schema.ts';
import { can, requires } from '../route-options.ts';
import { takes } from '../validation/takes.ts';

/** `GET /rest/v1/whipcountpage/<id>/targets/?zip=… | user=…`: whom one caller is to call, for clients that show a page themselves. */
export function registerPageTargets(app: FastifyInstance, context: ApiContext): void {
  const reader = new Reader(context.registry.get('target'), context);
  const texts = { type: 'array', items: { type: 'string' } };
  const schema = {
    tags: ['Whip counts'],
    summary: 'Whom a caller is to call',
    description:
      'Targets of the page’s groups that represent the place of a zip or of a user. A zip that touches several districts gives those of all, one in no district that was loaded those of its state.',
    params: ID_PARAMETER,
    querystring: {
      type: 'object',
      properties: {
        zip: takes('zip', { type: 'string' }, readZip),
        user: takes('reference', { type: 'string', description: 'URI or id; takes the grant user:read.' }, (given) =>
          readUser(context, given),
        ),
      },
    },
    response: {
      200: {
        type: 'object',
        required: ['districts', 'states', 'objects'],
        properties: { districts: texts, states: texts, objects: { type: 'array', items: objectSchema(reader.resource) } },
      },
      400: errorsBody('Neither zip nor user, or both.'),
      404: empty('No such page.'),
      ...COMMON,
    },
  };
  const preValidation = async (request: FastifyRequest) => {
    if (!(await isPageOfType(sqlOn(context.pool), idOf(request), 'whipcount'))) throw new NotFoundError();
    checkAsked(request);
  };
  app.get('/rest/v1/whipcountpage/:id/targets/', { ...requires('page:read'), preValidation, schema }, async (request) => {
    const id = idOf(request);
    const place = await placeOf(context, request);
    const ids = (await callerTargets(sqlOn(context.pool), id, place)).map((target) => target.id);
    const objects = await Promise.all(ids.map((each) => reader.one(each)));
    const { districts, states } = place;
    return { districts, states, objects: objects.filter((each) => each !== null) };
  });
}

/** Before what is wrong with either is told. @throws RequestError, PermissionError */
function checkAsked(request: FastifyRequest): void {
  const { zip, user } = request.query as { zip?: unknown; user?: unknown };
  if ((zip === undefined) === (user === undefined)) throw new RequestError({ zip: 'Either zip or user is required.' });
  // Whom somebody is to call tells their district.
  if (user !== undefined && !can(request, 'user:read')) throw new PermissionError('user:read');
}

/** @throws RequestError */
function readZip(given: unknown): string {
  if (typeof given !== 'string' || !/^\d{5}(-\d{4})?$/.test(given.trim())) throw new RequestError({ zip: 'zip must be five digits.' });
  return given;
}

/** @throws RequestError */
function readUser(context: ApiContext, given: unknown): number {
  try {
    return readReference(context, 'user', given);
  } catch (error) {
    throw new RequestError({ user: `user ${(error as Error).message}.` });
  }
}

async function placeOf(context: ApiContext, request: FastifyRequest): Promise<CallerPlace> {
  const { zip, user } = request.query as { zip?: unknown; user?: unknown };
  const sql = sqlOn(context.pool);
  if (zip !== undefined) return placeOfZip(sql, readZip(zip));
  return placeOfUser(sql, readUser(context, user));
}
