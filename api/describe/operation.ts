import type { FastifyContextConfig } from 'fastify';
import { COMMON, empty, errorsBody, UNAVAILABLE } from '../resource/answers.ts';
import { AUTHENTICATED } from '../route-options.ts';
import { OPERATIONS } from './operations.ts';

interface Schema {
  summary?: string;
  description?: string;
  body?: unknown;
  response?: Record<number, object>;
  [keyword: string]: unknown;
}

export interface DescribedRoute {
  operationId: string;
  method: string;
  /** As registered. */
  url: string;
  config: FastifyContextConfig;
}

/**
 * A route's schema as the document shows it: with what holds for every route like it, which no route says of itself. What it does say goes before that.
 */
export function operationOf(schema: Schema, route: DescribedRoute): Schema {
  const said = schema.description ?? OPERATIONS[route.operationId];
  return {
    operationId: route.operationId,
    ...schema,
    description: [said, grantOf(route)].filter(Boolean).join(' '),
    response: { ...answersOf(schema, route), ...schema.response },
    ...(route.config.open && { security: [] }),
  };
}

function grantOf({ config, url }: DescribedRoute): string {
  if (config.open) return 'No credentials are needed.';
  const { permission } = config;
  if (url === '/metrics' || !permission) return '';
  return permission === AUTHENTICATED ? 'Any account may ask.' : `Needs the grant \`${permission}\`.`;
}

const UNREADABLE = errorsBody('The address, a parameter or the body cannot be read or used.');
const TOO_LONG = errorsBody('The body is longer than is taken here.');
const OTHER_TYPE = errorsBody('This content type is not taken here; the sentence names those that are.');
const TOO_OFTEN = errorsBody('Too many requests from this address, or wrong passwords; Retry-After says how long to wait.');

/** What any route of its kind may answer that is no success. */
function answersOf({ body }: Schema, { config, method, url }: DescribedRoute): Record<number, object> {
  if (!url.startsWith('/rest/v1/')) return {};
  const answers: Record<number, object> = {
    400: UNREADABLE,
    // Credentials that are sent have to be right, whether or not they are needed.
    401: COMMON[401],
    ...(config.open ? UNAVAILABLE : COMMON),
    429: TOO_OFTEN,
  };
  if (/:(?!ids\b)/.test(url)) answers[404] = empty('Absent.');
  if (body !== undefined) answers[413] = TOO_LONG;
  if (method !== 'GET') answers[415] = OTHER_TYPE;
  return answers;
}
