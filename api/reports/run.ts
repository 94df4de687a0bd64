import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSavedReport, type SavedReport } from '../../core/reports/saved-report.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import type { ApiDeps } from '../deps.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { requires } from '../route-options.ts';
import { readDialect, readFormat, readParameters, readStatementText, savedReport, sentStatement } from './parameters.ts';
import { prepare, reportRunner } from './runner.ts';

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
  const runner = reportRunner(deps);

  const answer = async (request: FastifyRequest, reply: FastifyReply, statement: WrittenStatement, field: string) => {
    const format = readFormat(request);
    const bound = await prepare(statement, readParameters(request), { field, account: request.account?.id });
    const result = await runner.run(request, bound, { format, field });
    if (result === null) return reply.hijack();
    if (result.age !== undefined) reply.header('age', result.age);
    return reply.type(result.contentType).send(result.content);
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
