import type { FastifyInstance } from 'fastify';
import { readShown } from '../../core/targeting/shown.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty } from '../resource/answers.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { TARGETING_SCHEMA } from './targeting-schema.ts';

// The two sides of a mailing's targeting as objects of their own, which the low-level mailing refers to. They have no rows of their own:
// mailing n has the sides 2n - 1 (includes) and 2n (excludes).

const URI = { type: 'string', format: 'uri-reference' };

/** SQL of the address of one side of mailing `t`. */
export const sideUriSql = (side: Side): string =>
  `'/rest/v1/mailingtargeting/' || (t.id::bigint * 2 ${side === 'includes' ? '- 1' : ''}) || '/'`;

/**
 * Which side of which mailing a URI names, relative or of this service.
 * @returns null for what is no such URI
 */
export function readSideUri(value: unknown, baseUrl: string): { mailingId: number; side: Side } | null {
  if (typeof value !== 'string') return null;
  const path = value.startsWith(`${baseUrl}/`) ? value.slice(baseUrl.length) : value;
  const id = Number(/^\/+rest\/+v1\/+mailingtargeting\/+(\d{1,10})\/*$/.exec(path)?.[1] ?? 0);
  return id < 1 ? null : sideOf(id);
}

function sideOf(id: number): { mailingId: number; side: Side } {
  return { mailingId: Math.ceil(id / 2), side: id % 2 ? 'includes' : 'excludes' };
}

/** GET /rest/v1/mailingtargeting/{id}/. */
export function registerMailingTargeting(app: FastifyInstance, { pool }: ApiContext): void {
  const schema = {
    tags: ['Mailer'],
    summary: 'One side of the targeting of a mailing, which includes or excludes of the low-level mailing refers to',
    params: ID_PARAMETER,
    response: {
      200: {
        ...TARGETING_SCHEMA,
        required: ['id', 'resource_uri', 'mailing', 'side'],
        properties: {
          id: { type: 'integer' },
          resource_uri: URI,
          mailing: URI,
          side: { enum: ['includes', 'excludes'] },
          ...TARGETING_SCHEMA.properties,
        },
      },
      404: empty('Absent.'),
      ...COMMON,
    },
  };
  app.get('/rest/v1/mailingtargeting/:id/', { ...requires('mailer:read'), schema }, async (request) => {
    const id = idOf(request);
    const { mailingId, side } = sideOf(id);
    const targeting = await readShown(pool, mailingId, side);
    if (!targeting) throw new NotFoundError();
    return {
      id,
      resource_uri: `/rest/v1/mailingtargeting/${id}/`,
      mailing: `/rest/v1/mailing/${mailingId}/`,
      side,
      ...targeting,
    };
  });
}
