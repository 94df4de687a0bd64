import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prepareStatement } from '../../core/reports/prepare.ts';
import { ReportsAwayError } from '../../core/reports/report-bounds.ts';
import { streamReport } from '../../core/reports/report-reader.ts';
import { findSavedReport, type SavedReport } from '../../core/reports/saved-report.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { NotFoundError, RequestError, UnavailableError } from '../../domain/errors.ts';
import { rowFormat } from '../../domain/reports/formats.ts';
import { type BoundStatement, MissingParameters, type Parameters } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import type { ApiDeps } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { requires } from '../route-options.ts';
import { Slots } from '../slots.ts';
import { KeptResults } from './kept-results.ts';
import { readDialect, readFormat, readParameters, readStatementText, savedReport, sentStatement } from './parameters.ts';

const ROWS = {
  description:
    'One array per row. With format=csv or Accept: text/csv, lines of CSV below a line of column names; tabs between with format=tsv.',
  content: {
    'application/json': { schema: { type: 'array', items: { type: 'array', items: {} } } },
    'text/csv': { schema: { type: 'string' } },
    'text/tab-separated-values': { schema: { type: 'string' } },
  },
};
const RUN = {
  tags: ['Reports'],
  response: {
    200: ROWS,
    400: errorsBody('SQL that cannot be run, or a parameter that is missing.'),
    404: empty('No such report.'),
    ...COMMON,
  },
};

/** `report/run/sql/` and `report/run/<short_name>/`, GET and POST. */
export function registerReportRuns(app: FastifyInstance, deps: ApiDeps): void {
  const { env } = deps;
  const slots = new Slots(env.REPORT_SLOTS, env.REPORT_WAIT_MS, 'reports are running');
  const url = reportDatabaseUrl(env);
  const kept = new KeptResults(deps);

  const answer = async (request: FastifyRequest, reply: FastifyReply, statement: WrittenStatement, field: string) => {
    const formatName = readFormat(request);
    const format = rowFormat(formatName);
    const bound = await prepare(statement, readParameters(request), field);
    const key = kept.keyOf(request, bound, formatName);
    const known = await kept.find(request, key);
    if (known) return reply.type(format.contentType).header('age', known.age).send(known.content);
    // Told when the caller hangs up, before the answer has begun and after.
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort(new Error('the caller hung up')));
    let release = () => {};
    try {
      release = await slots.take(request.account?.id ?? 0, gone.signal);
      const began = performance.now();
      const { text } = await streamReport(bound, format, {
        reportDatabaseUrl: url,
        timeoutMs: env.STATEMENT_TIMEOUT_MS,
        maxRows: env.REPORT_MAX_ROWS,
        maxMb: env.REPORT_MAX_MB,
        memoryMb: env.REPORT_MEMORY_MB,
        signal: gone.signal,
      });
      text.once('close', release);
      const tookMs = performance.now() - began;
      return await reply.type(format.contentType).send(kept.keep(request, { key, format: formatName, text, tookMs }));
    } catch (error) {
      release();
      if (gone.signal.aborted) {
        request.log.info('the caller of a report hung up');
        return reply.hijack();
      }
      if (error instanceof StatementError) throw new RequestError({ [field]: error.message });
      if (error instanceof ReportsAwayError) throw new UnavailableError(error.message, { cause: error });
      throw error;
    }
  };

  for (const method of ['GET', 'POST'] as const) {
    // A HEAD would run the whole report for nothing.
    const more = { method, exposeHeadRoute: false };
    app.route({
      ...more,
      url: '/rest/v1/report/run/sql/',
      ...requires('report:sql', { forms: true }),
      schema: {
        ...RUN,
        summary: 'Run one SELECT; each {{ name }} in it is a parameter of the request',
        querystring: sentStatement,
        ...(method === 'POST' && { body: sentStatement }),
      },
      handler: (request, reply) =>
        answer(request, reply, { sql: readStatementText(request), dialect: readDialect(request, env.REPORT_DIALECT) }, 'query'),
    });
    app.route({
      ...more,
      url: '/rest/v1/report/run/:short_name/',
      // That there is no such report comes before what is wrong with its parameters.
      attachValidation: true,
      ...requires('report:read', { forms: true }),
      schema: {
        ...RUN,
        summary: 'Run a saved report; each {{ name }} in its SQL is a parameter of the request',
        params: SHORT_NAME,
        querystring: SAVED,
        ...(method === 'POST' && { body: SAVED }),
      },
      handler: async (request, reply) => {
        const { short_name: shortName } = request.params as { short_name: string };
        const report = await findReport(deps, shortName);
        if (request.validationError) throw request.validationError;
        return answer(request, reply, report, 'report');
      },
    });
  }
}

const SAVED = savedReport();
export const SHORT_NAME = { type: 'object', required: ['short_name'], properties: { short_name: { type: 'string' } } };

/** @throws NotFoundError */
export async function findReport({ pool }: ApiDeps, shortName: string): Promise<SavedReport> {
  const report = await findSavedReport(pool, shortName);
  if (!report) throw new NotFoundError();
  return report;
}

/** The statement with its values bound, checked. @throws RequestError under the missing parameters, or under `field` */
export async function prepare(statement: WrittenStatement, parameters: Parameters, field: string): Promise<BoundStatement> {
  try {
    return await prepareStatement(statement, parameters);
  } catch (error) {
    if (error instanceof MissingParameters) {
      throw new RequestError(
        Object.fromEntries(error.names.map((name) => [name, `The parameter ${name} is used in the SQL and was not given.`])),
      );
    }
    if (error instanceof StatementError) throw new RequestError({ [field]: error.message });
    throw error;
  }
}
