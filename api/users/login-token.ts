import type { FastifyInstance } from 'fastify';
import { issueLoginToken, LOGIN_TOKEN_TTL } from '../../core/people/login-tokens.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, RequestError } from '../../domain/errors.ts';
import { readBody, readInteger } from '../../domain/values.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { takes } from '../validation/takes.ts';

const { default: DEFAULT_TTL, minimum, maximum } = LOGIN_TOKEN_TTL;
const TTL = takes('integer', { type: 'integer', minimum, maximum, default: DEFAULT_TTL, description: 'Seconds it is good for.' }, readTtl);

/** `POST /rest/v1/user/{id}/logintoken/`: a token for somebody the caller has already logged in. JSON, a form, or nothing; ttl may stand in the address. */
export function registerLoginToken(app: FastifyInstance, { pool }: ApiContext): void {
  const schema = {
    tags: ['Users'],
    summary: 'A token that logs a user in on the platform’s pages',
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    params: ID_PARAMETER,
    querystring: { type: 'object', properties: { ttl: TTL } },
    body: { type: 'object', properties: { ttl: TTL } },
    response: {
      200: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
      400: errorsBody('A ttl that cannot be used.'),
      404: empty('Absent.'),
      ...COMMON,
    },
  };
  app.post('/rest/v1/user/:id/logintoken/', { ...requires('user:write', { forms: true }), schema }, async (request, reply) => {
    const { ttl: inBody } = readBody(request.body);
    const ttl = readTtl(inBody ?? (request.query as { ttl?: string }).ttl);
    const token = await issueLoginToken(sqlOn(pool), idOf(request), ttl);
    if (token === null) throw new NotFoundError();
    reply.header('cache-control', 'no-store');
    return { token };
  });
}

function readTtl(given: unknown): number {
  if (given === undefined || given === null || given === '') return DEFAULT_TTL;
  let ttl = 0;
  try {
    ttl = readInteger(given);
  } catch (error) {
    throw new RequestError({ ttl: `ttl ${(error as Error).message}.` });
  }
  if (ttl < minimum || ttl > maximum) throw new RequestError({ ttl: `ttl must be between ${minimum} and ${maximum} seconds.` });
  return ttl;
}
