import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { type UploadProblem, uploadProblems } from '../../core/people/upload-problems.ts';
import { stopUpload } from '../../core/people/upload-status.ts';
import { type UploadSummary, uploadSummary } from '../../core/people/uploads.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { csvLine, csvLink, sendLines } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, leading, time } from '../numbers.ts';
import { progressBar } from '../progress-bar.ts';
import { numbers, table } from '../table.ts';
import { oneButton } from './import-draft.ts';
import { importMark, nameOf } from './import-list.ts';

const SHOWN = 50;
const BLOCK = 5000;

/** `/console/imports/{id}/`: how far an import is, and what was wrong with which line. */
export function registerImportPage(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;
  const sql = sqlOn(pool);

  app.get('/console/imports/:id/', page('upload:read'), async (request, reply) => {
    const upload = await read(request);
    const { id, finished_at } = upload;
    const under = finished_at === null;
    const content = html`<p class="crumb"><a href="/console/imports/">Imports</a> / ${id}</p><div class="title"><h1>${nameOf(upload)}</h1><span data-region="status">${importMark(upload)}</span></div>
<div class="columns"><div><section class="card" aria-labelledby="progress"><h2 id="progress" class="unseen">Progress</h2><div data-region="progress">${progressPart(upload)}</div></section>
<section class="card" aria-labelledby="errors"><h2 id="errors">Lines that could not be imported</h2><div data-region="errors">${await errorsPart(upload)}</div></section></div>
<aside aria-label="About"><div class="card" data-region="about">${aboutPart(request, upload)}</div>
<div data-region="stop">${stopPart(request, reply, upload)}</div></aside></div>`;
    return sendPage(request, reply, env, { title: `Import ${id}`, content, ...(under && { live: `/console/imports/${id}/live` }) });
  });

  app.get('/console/imports/:id/live', page('upload:read'), async (request, reply) => {
    const upload = await read(request);
    const regions = {
      status: String(importMark(upload)),
      progress: String(progressPart(upload)),
      errors: String(await errorsPart(upload)),
      about: String(aboutPart(request, upload)),
      stop: String(stopPart(request, reply, upload)),
    };
    return { busy: upload.finished_at === null, regions, said: `${count(upload.progress)} of ${count(upload.line_count)} lines` };
  });

  app.get('/console/imports/:id/errors.csv', page('upload:read'), async (request, reply) => {
    const { id } = await read(request);
    return sendLines(reply, `import-${id}-errors`, lines(id));
  });

  app.post('/console/imports/:id/stop', page('upload:write'), async (request, reply) => {
    try {
      await stopUpload(sql, idOf(request));
    } catch (error) {
      // Pressed twice: it has been stopped by the first.
      if (!(error instanceof InputError) || (await read(request)).status !== 'stopped') throw error;
    }
    return reply.redirect(`/console/imports/${idOf(request)}/`, 303);
  });

  async function read(request: FastifyRequest): Promise<UploadSummary> {
    const upload = await uploadSummary(sql, idOf(request));
    if (!upload) throw new NotFoundError();
    return upload;
  }

  async function errorsPart({ id, problem_count: many, finished_at }: UploadSummary): Promise<Html> {
    if (many === 0) return html`<p class="none">${finished_at ? 'None.' : 'None so far.'}</p>`;
    const problems = await uploadProblems(sql, id, null, SHOWN);
    const rows = problems.map(({ line, message }) => html`<tr><td class="n">${count(line)}</td><td>${message}</td></tr>`);
    return html`${table('Errors', [numbers('Line'), 'What is wrong'], rows)}${many > SHOWN ? html`<p class="small">The first ${SHOWN} of ${count(many)}.</p>` : ''}${csvLink(`/console/imports/${id}/errors.csv`, 'all errors by line')}`;
  }

  async function* lines(id: number): AsyncGenerator<string> {
    yield csvLine(['line', 'error']);
    let problems: UploadProblem[] = [];
    do {
      problems = await uploadProblems(sql, id, problems.at(-1) ?? null, BLOCK);
      yield problems.map(({ line, message }) => csvLine([line, message])).join('');
    } while (problems.length === BLOCK);
  }
}

function aboutPart(request: FastifyRequest, { list, list_id, page: target, created_at, started_at, finished_at }: UploadSummary): Html {
  const onto = list && can(request, 'list:read') ? html`<a href="/console/lists/${list_id}/">${list}</a>` : (list ?? target);
  return html`<dl class="facts"><div><dt>Imported to</dt><dd>${target}</dd></div><div><dt>Onto</dt><dd>${onto}</dd></div><div><dt>Asked for</dt><dd>${time(created_at)}</dd></div><div><dt>Began</dt><dd>${time(started_at)}</dd></div><div><dt>Ended</dt><dd>${time(finished_at)}</dd></div></dl>`;
}

/** Of one that is over there is nothing to stop. */
const stopPart = (request: FastifyRequest, reply: FastifyReply, { id, stopping, finished_at }: UploadSummary): Html | '' =>
  finished_at === null && !stopping && can(request, 'upload:write')
    ? html`<div class="card actions">${oneButton(request, reply, `/console/imports/${id}/stop`, 'Stop', 'danger')}<p class="small">What is imported stays.</p></div>`
    : '';

function progressPart({ line_count: all, progress, error_count: failed, finished_at }: UploadSummary): Html {
  const done = { accepted: progress - failed, failed, skipped: 0, uncertain: 0 };
  return html`${leading(progress - failed, `of ${count(all)} ${all === 1 ? 'line' : 'lines'} imported`)}${finished_at && progress === all ? '' : progressBar(done, all, 'Progress of the import')}${failed ? html`<p class="small">${count(failed)} could not be.</p>` : ''}`;
}
