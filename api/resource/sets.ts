import type { FastifyInstance } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { can } from '../route-options.ts';
import { takes } from '../validation/takes.ts';
import { errorsBody } from './answers.ts';
import { readId } from './paths.ts';
import { MAX_LIMIT } from './query.ts';
import type { Reader } from './read.ts';

/** `GET <resource>/set/1;2;3/`: the objects with these ids, and which of them there are none of. */
export function registerSet(app: FastifyInstance, reader: Reader, options: { config: object }, schema: SetSchema): void {
  const { about, item, common } = schema;
  const described = {
    ...about,
    params: {
      type: 'object',
      required: ['ids'],
      properties: { ids: takes('ids', { type: 'string', description: 'Ids with semicolons between.' }, idsOf) },
    },
    response: {
      200: {
        type: 'object',
        required: ['objects'],
        properties: {
          objects: { type: 'array', items: item, description: 'Those there are, in the order asked for.' },
          not_found: { type: 'array', items: { type: 'string' }, description: 'Ids of which there are none. Only where some are missing.' },
        },
      },
      400: errorsBody(`More than ${MAX_LIMIT} ids.`),
      ...common,
    },
  };
  app.get(`/rest/v1/${reader.resource.name}/set/:ids/`, { ...options, schema: described }, async (request) => {
    const wanted = idsOf((request.params as { ids: string }).ids);
    const found = await reader.some(
      wanted.flatMap((each) => readId(each) ?? []),
      (grant) => can(request, grant),
    );
    const objectOf = (each: string) => found.get(readId(each) ?? 0);
    const missing = wanted.filter((each) => objectOf(each) === undefined);
    // Clients of the public platform ask whether the key is there.
    return { objects: wanted.flatMap((each) => objectOf(each) ?? []), ...(missing.length > 0 && { not_found: missing }) };
  });
}

/** @throws RequestError */
function idsOf(text: unknown): string[] {
  // Each once: what a page holds is bounded by its rows, and one row a hundred times would be a hundred times as much.
  const wanted = [...new Set(String(text).split(';').filter(Boolean))];
  if (wanted.length > MAX_LIMIT) throw new RequestError({ ids: `ids holds more than ${MAX_LIMIT}.` });
  return wanted;
}

interface SetSchema {
  about: object;
  /** Of one object. */
  item: object;
  /** Answers of any route. */
  common: object;
}
