import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/** What any route may answer beside what it describes: the request did not come to it, or something failed under it. */
const OF_THE_FRAMEWORK = new Set([400, 401, 403, 404, 405, 413, 415, 429, 500, 503]);

interface Described {
  type?: string;
  content?: Record<string, { schema?: object }>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
addFormats.default(ajv);
/** By the text of the schema: the next API of this process has the same ones. */
const compiled = new Map<string, ValidateFunction>();

/**
 * Holds every answer in JSON against the schema its route shows for it. Called before any route is registered.
 * @returns takes what was found since the last time: each a sentence
 */
export function checkAnswers(app: FastifyInstance): () => string[] {
  const known = new WeakMap<object, ValidateFunction>();
  const wrong: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    const said = isJson && typeof payload === 'string' ? problemOf(request, reply.statusCode, payload) : null;
    if (said) wrong.push(`${request.method} ${request.url} answered ${reply.statusCode}: ${said}`);
    return payload;
  });
  return () => wrong.splice(0);

  function problemOf(request: FastifyRequest, status: number, payload: string): string | null {
    const { schema } = request.routeOptions as RouteOptions;
    const responses = (schema as { response?: Record<number, Described> } | undefined)?.response;
    if (!responses || !request.url.startsWith('/rest/')) return null;
    const described = responses[status];
    if (!described) return OF_THE_FRAMEWORK.has(status) ? null : 'this status is not described';
    const answer = described.content ? described.content['application/json']?.schema : described;
    if (!answer || payload === '') return null;
    const valid = known.get(answer) ?? validatorOf(answer);
    known.set(answer, valid);
    return valid(JSON.parse(payload)) ? null : `${JSON.stringify(valid.errors?.slice(0, 3))} ${payload.slice(0, 300)}`;
  }
}

function validatorOf(answer: object): ValidateFunction {
  const schema = withoutHeaders(answer);
  const text = JSON.stringify(schema);
  const valid = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, valid);
  return valid;
}

/** Headers stand beside the schema of a body in the routes. */
const withoutHeaders = ({ headers: _headers, ...schema }: { headers?: unknown }): object => schema;
