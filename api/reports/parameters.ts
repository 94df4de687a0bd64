import type { FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../domain/reports/formats.ts';
import type { Parameters, ParameterValue } from '../../domain/reports/placeholders.ts';
import { readBody } from '../../domain/values.ts';
import { DIALECTS, type Dialect } from '../../domain/words.ts';
import { takes } from '../validation/takes.ts';

/** What was sent, query string and body together; the body wins. A GET's body is ignored. */
function given(request: FastifyRequest): Record<string, unknown> {
  return { ...(request.query as Record<string, unknown>), ...(request.method === 'POST' ? readBody(request.body) : {}) };
}

/** Values for the places of a statement, by name. One sent several times, or as a JSON list, is a list. @throws RequestError naming a value that is an object */
export const readParameters = (request: FastifyRequest): Parameters => parametersOf(given(request));

/** Parameters that are named where they cannot be used: more tell nobody more. */
const MOST_SAID = 100;

function parametersOf(values: Record<string, unknown>): Parameters {
  const errors: Record<string, string> = {};
  let wrong = 0;
  const parameters: Parameters = {};
  for (const [name, value] of Object.entries(values)) {
    const members = [value].flat();
    if (members.every(isValue)) parameters[name] = Array.isArray(value) ? members : members[0]!;
    else if (wrong++ < MOST_SAID)
      errors[name] = `${name} must be text, a number, true, false or null, or a list of these, without NUL characters.`;
  }
  if (wrong > 0) throw new RequestError(errors);
  return parameters;
}

const isValue = (value: unknown): value is ParameterValue =>
  value === null || typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !value.includes('\0'));

/** One text. @throws RequestError when it is absent or something else */
export function readStatementText(request: FastifyRequest): string {
  const { query } = given(request);
  if (typeof query !== 'string') throw new RequestError({ query: 'The parameter query, one text of SQL, is required.' });
  return query;
}

/** Whether the result is to be made anew whatever is kept: any word but one for no. */
export function wantsRefresh(request: FastifyRequest): boolean {
  const { refresh = 'false' } = given(request);
  return !['0', 'false', 'no', 'off', ''].includes(String(refresh).toLowerCase());
}

/** JSON, unless `format=csv` or an Accept that prefers CSV. @throws RequestError for a format there is not */
export function readFormat(request: FastifyRequest): ReportFormat {
  const { format } = given(request);
  if (format === undefined || format === '') return /^\s*text\/csv\b/i.test(request.headers.accept ?? '') ? 'csv' : 'json';
  return formatOf(format);
}

function formatOf(format: unknown): ReportFormat {
  if (!REPORT_FORMATS.includes(format as ReportFormat))
    throw new RequestError({ format: `format must be one of ${REPORT_FORMATS.join(', ')}.` });
  return format as ReportFormat;
}

/** What the statement is written in. @throws RequestError for a dialect there is not */
export function readDialect(request: FastifyRequest, fallback: Dialect): Dialect {
  const { dialect = fallback } = given(request);
  return dialectOf(dialect);
}

function dialectOf(dialect: unknown): Dialect {
  if (!DIALECTS.includes(dialect as Dialect)) throw new RequestError({ dialect: `dialect must be one of ${DIALECTS.join(', ')}.` });
  return dialect as Dialect;
}

const REFRESH = { description: 'true runs it anew, whatever is kept of earlier runs that took long.' };

/** Schema of what a saved report takes, in the address or in the body. @param more properties beside, by what reads them */
export const savedReport = (more: { properties?: object; check?: (values: Record<string, unknown>) => void } = {}) =>
  takes(
    'parameters',
    {
      type: 'object',
      properties: { format: { type: 'string', enum: REPORT_FORMATS }, refresh: REFRESH, ...more.properties },
      additionalProperties: {
        description: 'Values of the places in the statement: text, a number, true, false, null, or a list of these.',
      },
    },
    (sent) => {
      const values = readBody(sent);
      more.check?.(values);
      if ((values['format'] ?? '') !== '') formatOf(values['format']);
      parametersOf(values);
    },
  );

/** The same of a statement that is sent. The statement and its parameters may stand in the address and in the body. */
export const sentStatement = savedReport({
  properties: {
    query: { type: 'string', description: 'One SELECT; required.' },
    dialect: { type: 'string', enum: DIALECTS, description: 'What it is written in; REPORT_DIALECT unless given.' },
  },
  check: ({ dialect }) => dialect === undefined || dialectOf(dialect),
});
