import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import type { SentFile } from '../../api/plugins/forms.ts';
import { can } from '../../api/route-options.ts';
import { inStagingTurn, withUploadForm } from '../../api/users/upload-form.ts';
import { keepDraft } from '../../core/people/upload-drafts.ts';
import { countUnderWay, type UploadSummary, uploads } from '../../core/people/uploads.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, leading, time } from '../numbers.ts';
import { pageOf, readBefore } from '../older.ts';
import { numbers, table } from '../table.ts';

/** Larger files go over the API: these wait in the database until somebody has said what is in them. */
const MOST_BYTES = 256 * 1024 * 1024;

/** `/console/imports/`: what was imported, and where a file is chosen. */
export function registerImports(app: FastifyInstance, context: ApiContext): void {
  const { env, pool } = context;
  const most = Math.min(MOST_BYTES, env.UPLOAD_LIMIT);

  app.get('/console/imports/', page('upload:read'), (request, reply) => show(request, reply));

  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { fileSize: most, files: 1, fields: 5, fieldSize: 10_000 },
    });
    const { config } = page('upload:write');
    scope.post('/console/imports/', { config: { ...config, fileForm: true } }, async (request, reply) => {
      try {
        const keep = async (fields: Record<string, unknown>, { filename, content }: SentFile) => {
          request.body = fields;
          await scope.consoleFormIsOurs(request, reply);
          if (filename === '') throw new InputError({ upload: 'Choose a file first.' });
          return inStagingTurn(context, { request, reply }, () => keepDraft(pool, request.account!.id, filename, content));
        };
        const id = await withUploadForm(context, request, keep, most);
        return reply.redirect(`/console/imports/draft/${id}/`, 303);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return show(request, reply.code(400), Object.values(error.fields).flat());
      }
    });
  });

  async function show(request: FastifyRequest, reply: FastifyReply, problems: string[] = []): Promise<FastifyReply> {
    const { rows, link } = pageOf(
      can(request, 'upload:read') ? await uploads(sqlOn(pool), readBefore(request)) : [],
      '/console/imports/',
      ({ id }) => id,
    );
    // Of all there are: one that takes long may stand on an older page.
    const running = rows.length ? await countUnderWay(sqlOn(pool)) : 0;
    const content = html`<p class="crumb"><a href="/console/people/">People</a></p><h1>Imports</h1>
${rows.length ? html`${leading(running, 'import under way', 'imports under way')}` : ''}
<div class="columns"><div>${rows.length ? html`<div class="card">${table('Imports', ['File', 'Onto', numbers('Lines'), numbers('Errors'), 'Status', 'When'], rows.map(importRow))}</div>${link}` : html`<p class="none">Nothing was imported yet. Choose a file of people: a table saved as CSV, a person a line, with their addresses in one of its columns.</p>`}</div>
<aside aria-label="New import">${can(request, 'upload:write') ? uploadPart(request, reply, problems) : ''}</aside></div>`;
    return sendPage(request, reply, env, { title: 'Imports', content });
  }
}

const uploadPart = (request: FastifyRequest, reply: FastifyReply, problems: string[]): Html => html`<div class="card"><h2>Import people</h2>
${problems.map((each) => html`<p class="note bad" role="alert">${each}</p>`)}
<form method="post" action="/console/imports/" enctype="multipart/form-data" class="stack">${csrfField(formToken(request, reply))}<label for="upload">A CSV file</label><input id="upload" name="upload" type="file" accept=".csv,.tsv,.txt,.gz,.zip,text/csv,text/tab-separated-values" required aria-describedby="upload-hint">
<p class="small" id="upload-hint">UTF-8, packed (gzip, ZIP) or not; its first line names the columns. Nothing is imported before you have seen what would happen.</p><button class="main">Go on</button></form></div>`;

const WORDS = { new: 'waits', importing: 'under way', completed: 'done', stopped: 'stopped', died: 'died' } as const;
const MARKS = { new: 'queued', importing: 'sending', completed: 'completed', stopped: 'stopped', died: 'died' } as const;

export const importMark = ({ status, stopping, finished_at }: UploadSummary): Html =>
  html`<span class="mark ${MARKS[status]}">${stopping && finished_at === null ? 'stopping' : WORDS[status]}</span>`;

/** Whether the page of imports has something to begin one with, for whoever asks. */
export const mayImport = (request: FastifyRequest): boolean => can(request, 'upload:read') && can(request, 'upload:write');

/** What an import is called: its file, which may have come without a name. */
export const nameOf = ({ id, filename }: UploadSummary): string => filename || `Import ${id}`;

const importRow = (upload: UploadSummary): Html =>
  html`<tr><td><a href="/console/imports/${upload.id}/">${nameOf(upload)}</a></td><td>${upload.list ?? upload.page}</td><td class="n">${count(upload.line_count)}</td><td class="n">${count(upload.problem_count)}</td><td>${importMark(upload)}</td><td>${time(upload.created_at)}</td></tr>`;
