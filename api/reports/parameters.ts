import type { FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../domain/reports/formats.ts';
import type { Parameters, ParameterValue } from '../../domain/reports/placeholders.ts';
import { readBody } from '../../domain/values.ts';
import { DIALECTS, type Dialect } from '../../domain/words.ts';

/** What was sent, query string and body together; the body wins. A GET's body is ignored. */
function given(request: FastifyRequest): Record<string, unknown> {
  return { ...(request.query as Record<string, unknown>), ...(request.method === 'POST' ? readBody(request.body) : {}) };
}

/**
 * Values for the places of a statement, by name. One sent several times, or as a JSON list, is a list.
 * @throws RequestError naming a value that is an object
 */
export function readParameters(request: FastifyRequest): Parameters {
  const errors: Record<string, string> = {};
  const parameters: Parameters = {};
  for (const [name, value] of Object.entries(given(request))) {
    const values = [value].flat();
    if (values.every(isValue)) parameters[name] = Array.isArray(value) ? values : values[0]!;
    else errors[name] = `${name} must be text, a number, true, false or null, or a list of these, without NUL characters.`;
  }
  if (Object.keys(errors).length > 0) throw new RequestError(errors);
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
  if (!REPORT_FORMATS.includes(format as ReportFormat))
    throw new RequestError({ format: `format must be one of ${REPORT_FORMATS.join(', ')}.` });
  return format as ReportFormat;
}

/** What the statement is written in. @throws RequestError for a dialect there is not */
export function readDialect(request: FastifyRequest, fallback: Dialect): Dialect {
  const { dialect = fallback } = given(request);
  if (!DIALECTS.includes(dialect as Dialect)) throw new RequestError({ dialect: `dialect must be one of ${DIALECTS.join(', ')}.` });
  return dialect as Dialect;
}
