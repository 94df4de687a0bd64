import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from '../../core/once.ts';
import { reportFiles } from '../../core/reports/kept-report-files.ts';
import { addReportTask, completedReportTask, resultFile } from '../../core/reports/report-task.ts';
import { zipped } from '../../core/reports/zipped-result.ts';
import { NotFoundError, RequestError } from '../../domain/errors.ts';
import { REPORT_FORMATS, type ReportFormat, rowFormat } from '../../domain/reports/formats.ts';
import { placeholderNames } from '../../domain/reports/placeholders.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody } from '../../domain/values.ts';
import { BackgroundTask } from '../../entities/reports/background-task.ts';
import { usableAddress } from '../../mail/address.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, empty, errorsBody, withLocation } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { startSoon } from '../users/start-soon.ts';
import { readFormat, readParameters, savedReport } from './parameters.ts';
import { findReport, SHORT_NAME } from './run.ts';
import { prepare } from './runner.ts';

const OVER = `t.status in ('completed', 'failed')`;

export const backgroundtask = resource({
  name: 'backgroundtask',
  about: 'a report run in the background, and what became of it',
  area: 'Reports',
  entity: BackgroundTask,
  inside: ['statement', 'emails', 'submitter', 'runs'],
  fields: {
    byte_count: { kind: 'integer', sql: 't.byte_count::float8', help: 'Size of the result.' },
    row_count: { help: 'Rows of the result.' },
    zipped: { help: 'Whether the result is given out as a ZIP archive.' },
    errors: { help: 'Why it failed, why it is being tried again, or whom it could not be mailed to.' },
    finished: { kind: 'boolean', sql: OVER },
    completed: { kind: 'boolean', sql: OVER, help: 'Whether it is over, as finished.' },
    details: {
      kind: 'dict',
      help: 'status: complete, failed, running or pending; download_uri: where the result is, or null; errors.',
      sql: 't.status',
      show: ({ id, status, errors, row_count, byte_count }) => ({
        status: status === 'completed' ? 'complete' : status,
        download_uri: status === 'completed' ? `/rest/v1/report/download/${id}/` : null,
        row_count,
        byte_count,
        errors,
      }),
    },
    success: { kind: 'boolean', sql: `t.status = 'completed'` },
    download: {
      kind: 'string',
      nullable: true,
      help: 'URI of the result, once there is one.',
      sql: 't.status',
      show: ({ id, status }) => (status === 'completed' ? `/rest/v1/report/download/${id}/` : null),
    },
  },
  filtering: { id: SINCE, short_name: 'all', status: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'delete'],
  permission: 'report',
  job: { run: workflowId.runReport, over: ({ status }) => status !== 'pending' && status !== 'running' },
  hooks: {
    // Before that a DELETE that comes to nothing would leave a task without its result; a file without its task retention finds.
    committed: async (context, { id, gone }) => {
      if (!gone) return;
      const files = reportFiles(context);
      for (const format of REPORT_FORMATS) await files.remove(resultFile(id, format)).catch(() => {});
    },
  },
});

const MOST_ADDRESSES = 20;
/** Characters of all of them, and signs between: what is longer holds more, and is not taken apart. */
const LONGEST_ADDRESSES = 20_000;

/** `report/background/<short_name>/` and `report/download/<id>/`. */
export function registerBackgroundReports(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;
  const files = reportFiles(context);

  const schema = {
    tags: ['Reports'],
    summary: 'Run a saved report in the background',
    description:
      'Each {{ name }} in its SQL is a parameter of the request. The result is CSV unless format=json or format=tsv; email_to is told when it is there.',
    params: SHORT_NAME,
    querystring: MAILED,
    headers: IDEMPOTENCY_KEY,
    body: MAILED,
    response: {
      201: withLocation('The task; it says when the result is there.'),
      400: errorsBody('A parameter that is missing or cannot be used.'),
      404: empty('No such report.'),
      ...COMMON,
    },
  };
  app.post(
    '/rest/v1/report/background/:short_name/',
    { ...requires('report:read', { forms: true }), attachValidation: true, schema },
    async (request, reply) => {
      const { short_name: shortName } = request.params as { short_name: string };
      const report = await findReport(context, shortName);
      if (request.validationError) throw request.validationError;
      const statement = await prepare(report, readParameters(request), { field: 'report', account: request.account?.id });
      const emails = readAddresses(request, report.sql);
      const task = {
        shortName,
        statement,
        format: formatOf(request),
        zipped: wantsZip(request, report.sql),
        emails,
        accountId: request.account?.id ?? null,
      };
      const again = repeatable(request, { query: request.query, body: request.body });
      const id = await inTransaction(context, (_em, sql) => once(sql, again, () => addReportTask(sql, task)));
      await startSoon(context, request.log, startOf('runReport', { jobId: id }, { summary: `Report ${report.id} as task ${id}` }));
      return reply
        .code(201)
        .header('location', env.BASE_URL + uriOf('backgroundtask', id))
        .send();
    },
  );

  const FILE = {
    description: 'The result.',
    content: {
      'application/json': { schema: { type: 'array', items: { type: 'array', items: {} } } },
      'text/csv': { schema: { type: 'string' } },
      'text/tab-separated-values': { schema: { type: 'string' } },
      'application/zip': { schema: { type: 'string' } },
    },
  };
  app.get(
    '/rest/v1/report/download/:id/',
    {
      ...requires('report:read'),
      exposeHeadRoute: false,
      schema: {
        tags: ['Reports'],
        summary: 'The result of a report run in the background',
        params: ID_PARAMETER,
        response: { 200: FILE, 404: empty('No such task, or no result yet.'), ...COMMON },
      },
    },
    async (request, reply) => {
      const id = idOf(request);
      const task = await completedReportTask(pool, id);
      const file = task && (await files.read(resultFile(id, task.format)));
      if (!file) throw new NotFoundError();
      const name = `${task.short_name}-${id}.${task.format}`;
      const named = (what: string) => reply.header('content-disposition', `attachment; filename="${what}"`);
      if (task.zipped)
        return named(`${name}.zip`)
          .type('application/zip')
          .send(zipped(name, file.content, file.bytes));
      return named(name).type(rowFormat(task.format).contentType).header('content-length', file.bytes).send(file.content);
    },
  );
}

/** CSV unless something else is asked for: a file is for a spreadsheet. */
function formatOf(request: FastifyRequest): ReportFormat {
  const asked = { ...(request.query as object), ...readBody(request.body) };
  return 'format' in asked ? readFormat(request) : 'csv';
}

/** `zip=true`, unless that is the value of a place in the statement: reports ask for zip codes. */
function wantsZip(request: FastifyRequest, statement: string): boolean {
  const { zip } = { ...(request.query as Record<string, unknown>), ...readBody(request.body) };
  return YES.test(String(zip)) && !placeholderNames(statement).includes('zip');
}

const YES = /^(1|true|on)$/i;

/** `email_to`, or `use_email` with `email`, as a client in the field says it, unless that is the value of a place in the statement. @throws RequestError */
function readAddresses(request: FastifyRequest, statement: string): string[] {
  const given: Record<string, unknown> = { ...(request.query as object), ...readBody(request.body) };
  const { email_to: told, use_email: wanted, email } = given;
  if (told !== undefined || !YES.test(String(wanted)) || placeholderNames(statement).includes('email'))
    return addressesOf('email_to', told);
  return addressesOf('email', email);
}

/** One address, several with commas between, or a list. @throws RequestError naming the parameter */
function addressesOf(name: string, given: unknown): string[] {
  const members: unknown[] = [given ?? []].flat();
  const texts = members.filter((each) => typeof each === 'string');
  const tooMany = () => new RequestError({ [name]: `${name} holds more than ${MOST_ADDRESSES} addresses.` });
  if (texts.reduce((length, text) => length + text.length, members.length) > LONGEST_ADDRESSES) throw tooMany();
  const addresses = [...new Set(texts.flatMap((each) => each.split(',')).map((each) => each.trim()))].filter(Boolean);
  if (texts.length < members.length || addresses.some((each) => usableAddress(each) === null))
    throw new RequestError({ [name]: `${name} holds something that is not an email address.` });
  if (addresses.length > MOST_ADDRESSES) throw tooMany();
  return addresses;
}

const MAILED = savedReport({
  properties: {
    email_to: { description: 'Who is told when the result is there: addresses with commas between, or a list.' },
    zip: { description: 'true has the result as a ZIP archive; where the report has a place of that name, its value.' },
  },
  check: ({ email_to: given }) => void addressesOf('email_to', given),
});
