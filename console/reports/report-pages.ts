import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { prepare, reportRunner } from '../../api/reports/runner.ts';
import { can } from '../../api/route-options.ts';
import { findReportByName } from '../../core/reports/list-reports.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, RequestError } from '../../domain/errors.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { DIALECTS, type Dialect } from '../../domain/words.ts';
import { sendLines } from '../csv.ts';
import { area, type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { namesIn, parameterFields, valuesIn } from './parameters.ts';
import { reportList } from './report-list.ts';
import { chartPart, seriesOf } from './result-chart.ts';
import { readBeginning, resultTable, type ShownResult } from './shown-result.ts';

/** Of what is wrong with parameters that have no fields. */
const MOST_SAID = 20;

/** A statement and how its page calls it. */
interface Report {
  title: string;
  statement: WrittenStatement;
  /** What a statement that cannot be run is told under. */
  field: 'report' | 'query';
  /** Of its files. */
  name: string;
}

/** `/console/reports/`: saved reports and statements of one's own, with their parameters, as tables and files. Run as the API runs them, within the same bounds. */
export function registerReportPages(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;

  app.get('/console/reports/', page('report:read'), async (request, reply) => {
    const own = can(request, 'report:sql')
      ? html`<a class="button plain" href="/console/reports/sql/">Run a statement of your own</a>`
      : '';
    const list = can(request, 'queryreport:read')
      ? await reportList(sqlOn(pool), request)
      : html`<p class="none">Your account may run reports, not list them: it needs the grant queryreport:read.</p>`;
    return sendPage(request, reply, env, { title: 'Reports', content: html`<div class="head first"><h1>Reports</h1>${own}</div>${list}` });
  });

  const saved = async (request: FastifyRequest): Promise<Report & { head: Html; fields: Html }> => {
    const { short_name: short } = request.params as { short_name: string };
    const report = await findReportByName(sqlOn(pool), short);
    if (!report) throw new NotFoundError();
    const { sql, dialect, name, description } = report;
    const shown = can(request, 'queryreport:read') ? html`<details><summary>Its SQL</summary><pre tabindex="0">${sql}</pre></details>` : '';
    return {
      title: `${name} – report ${short}`,
      statement: { sql, dialect },
      field: 'report',
      name: `report-${short}`,
      head: html`<h1>${name}</h1>${description ? html`<p class="reading">${description}</p>` : ''}`,
      fields: html`${shown}`,
    };
  };
  const own = (sent: Sent, problems: Problems): Report & { head: Html; fields: Html } => {
    const dialect = DIALECTS.find((each) => each === textOf(sent, 'dialect')) ?? env.REPORT_DIALECT;
    return {
      title: 'A statement of your own',
      statement: { sql: textOf(sent, 'query').replaceAll('\0', ''), dialect },
      field: 'query',
      name: 'report',
      head: html`<h1>A statement of your own</h1><p class="reading">One SELECT over the tables of reports. Each <code>${'{{ name }}'}</code> in it is a parameter.</p>`,
      fields: html`${area({ name: 'query', label: 'SQL', value: textOf(sent, 'query'), rows: 8, code: true }, problems)}${dialectField(dialect)}`,
    };
  };

  app.get('/console/reports/sql/', page('report:sql'), (request, reply) => show(request, reply, own({}, {}), {}));
  app.post('/console/reports/sql/', page('report:sql'), (request, reply) =>
    answer(request, reply, (problems) => own(request.body as Sent, problems)),
  );
  app.get('/console/reports/:short_name/', page('report:read'), async (request, reply) => show(request, reply, await saved(request), {}));
  app.post('/console/reports/:short_name/', page('report:read'), async (request, reply) => {
    const report = await saved(request);
    return answer(request, reply, () => report);
  });

  /** Runs what the form asks for: as a page, or as a file. */
  async function answer(request: FastifyRequest, reply: FastifyReply, of: (problems: Problems) => Report & { head: Html; fields: Html }) {
    const sent = request.body as Sent;
    const report = of({});
    const { statement, field, name } = report;
    try {
      const bound = await prepare(statement, valuesIn(sent, namesIn(statement)), { field, account: request.account?.id });
      const result = await reportRunner(context).run(request, bound, { format: 'csv', field });
      if (result === null) return reply.hijack();
      if (sent['go'] === 'csv') return sendLines(reply, name, result.content);
      return show(request, reply, report, sent, {}, await readBeginning(result));
    } catch (error) {
      // One that fails after its first rows is told as one that fails before.
      const problems = error instanceof RequestError ? error.fields : error instanceof StatementError ? { [field]: [error.message] } : null;
      if (problems === null) throw error;
      return show(request, reply.code(400), of(problems), sent, problems);
    }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { title, statement, field, head, fields }: Report & { head: Html; fields: Html },
    sent: Sent,
    problems: Problems = {},
    result: ShownResult | null = null,
  ): FastifyReply {
    const names = namesIn(statement);
    const chart = result && seriesOf(result);
    const general = Object.entries(problems)
      .filter(([about]) => about !== 'query' && !names.includes(about))
      .slice(0, MOST_SAID);
    const content = html`<p class="crumb"><a href="/console/reports/">Reports</a></p>${head}
${Object.keys(problems).length ? html`<div class="note bad" role="alert"><p>It was not run.</p>${general.flatMap(([, messages]) => messages.map((each) => html`<p>${each}</p>`))}</div>` : ''}
<form method="post" action="${new URL(request.url, 'http://console').pathname}#result" class="write card" data-again>${csrfField(formToken(request, reply))}${field === 'query' ? fields : ''}${parameterFields(names, sent, problems)}
<p class="actions row"><button class="main">Run</button><button class="plain" name="go" value="csv">CSV</button></p>${field === 'report' ? fields : ''}</form>${result ? html`<div id="result" tabindex="-1" role="group" aria-labelledby="result-title">${chart ? chartPart(chart) : ''}${resultTable(result)}</div>` : ''}`;
    return sendPage(request, reply, env, { title, content, charts: chart !== null });
  }
}

const dialectField = (chosen: Dialect): Html =>
  html`<div class="field"><label for="dialect">Written in</label><select id="dialect" name="dialect">${DIALECTS.map((each) => html`<option value="${each}"${each === chosen ? html` selected` : ''}>${each}</option>`)}</select></div>`;
