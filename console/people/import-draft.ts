import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { can } from '../../api/route-options.ts';
import { startSoon } from '../../api/users/start-soon.ts';
import { inStagingTurn } from '../../api/users/upload-form.ts';
import { readChoices } from '../../core/mailings/choices.ts';
import { madeBefore, once, type Repeatable } from '../../core/once.ts';
import { declaredFields } from '../../core/people/single-fields.ts';
import { takeInUpload, undeclaredIn } from '../../core/people/take-in-upload.ts';
import { contentOf, describeDraft, dropDraft, HEAD_LINES, headOf, readDraft, type UploadDraft } from '../../core/people/upload-drafts.ts';
import { importPage, importPages, MOST_IMPORT_PAGES } from '../../core/people/uploads.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError, NotFoundError, PermissionError } from '../../domain/errors.ts';
import { guessColumns } from '../../domain/people/guess-columns.ts';
import { BY_AKID, readChosen } from '../../domain/people/import-line.ts';
import { shortName } from '../../domain/people/short-name.ts';
import { startOf } from '../../workflows/contracts.ts';
import { idsOf, line, type Sent, textOf, textsOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, leading } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { columnTable } from './import-columns.ts';

/** What has become of a file of which no import is made. */
const THROWN_AWAY = 0;

const DECLARE = 'Declare custom fields that are new';

const wordsOfUnknown = (names: string[]) =>
  `There is no custom field ${names.slice(0, 10).join(', ')} yet: tick “${DECLARE}”, or choose something else for ${names.length === 1 ? 'its column' : 'their columns'}.`;

/** `/console/imports/draft/{id}/`: what each column of a file is, and where its people come; and the start. */
export function registerImportDraft(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;
  const sql = sqlOn(pool);
  const write = page('upload:write');
  const pages = new Writer(context.registry.get('importpage'), context);
  const draftOf = (request: FastifyRequest) => readDraft(sql, idOf(request), request.account!.id);

  app.get('/console/imports/draft/:id/', write, async (request, reply) => show(request, reply, await draftOf(request)));

  app.post('/console/imports/draft/:id/', write, async (request, reply) => {
    const draft = await draftOf(request);
    const sent = request.body as Sent;
    const columns = textsOf(sent, 'column');
    const autocreate = textOf(sent, 'autocreate') === '1';
    const chosen = { ...draft, columns, page_id: idsOf(sent, 'page')[0] ?? null, autocreate_user_fields: autocreate };
    try {
      const known = (await importPages(sql)).some(({ id }) => id === chosen.page_id);
      const [header] = await headOf(contentOf(pool, draft.id), 1);
      if (columns.length !== header!.length) throw new InputError({ form: 'The form is not whole: open it again.' });
      const read = readChosen(columns);
      if (read.includes(BY_AKID) && !can(request, 'user:read'))
        throw new InputError({ form: 'To name people by akid an account needs the grant user:read: leave that column out.' });
      const unknown = autocreate ? [] : await undeclaredIn(sql, read);
      if (unknown.length > 0) throw new InputError({ columns: wordsOfUnknown(unknown) });
      const pageId = known ? chosen.page_id : await newPage(request, sent);
      await describeDraft(sql, { ...chosen, columns: read, page_id: pageId });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return show(request, reply.code(400), chosen, messagesIn(error), {
        name: textOf(sent, 'new_page'),
        list: listIn(sent),
      });
    }
    return reply.redirect(`/console/imports/draft/${draft.id}/check/`, 303);
  });

  app.post('/console/imports/draft/:id/start', write, async (request, reply) => {
    const press = pressOf(request);
    try {
      const draft = await draftOf(request);
      if (draft.columns.length === 0 || draft.page_id === null) return reply.redirect(`/console/imports/draft/${draft.id}/`, 303);
      const upload = await inStagingTurn(context, { request, reply }, () => takeIn(request, draft, press));
      await startSoon(context, request.log, startOf('importUpload', { jobId: upload }));
      return reply.redirect(`/console/imports/${upload}/`, 303);
    } catch (error) {
      return reply.redirect(await wentTo(press, error), 303);
    }
  });

  /** Pressed twice, or with the button beside it: where the first press leads, by which the file has gone. @throws the error otherwise */
  async function wentTo(press: Repeatable, error: unknown): Promise<string> {
    const made = error instanceof NotFoundError ? await madeBefore(sql, press) : null;
    if (made === null) throw error;
    return made === THROWN_AWAY ? '/console/imports/' : `/console/imports/${made}/`;
  }

  /** By the number of the file, of which one import is made, or none. */
  const pressOf = (request: FastifyRequest): Repeatable => ({
    idempotencyKey: String(idOf(request)),
    accountId: request.account!.id,
    route: '/console/imports/draft/start',
    body: null,
  });

  const takeIn = (request: FastifyRequest, draft: UploadDraft, press: Repeatable) => {
    const { id, filename, columns, page_id: pageId, autocreate_user_fields: autocreate } = draft;
    return takeInUpload(pool, context, {
      page: String(pageId),
      autocreateUserFields: autocreate,
      filename,
      content: () => contentOf(pool, id),
      columns,
      secret: can(request, 'user:read') ? env.SECRET_KEY : null,
      inPlaceOf: async (on, upload) => {
        await dropDraft(on, id);
        await once(on, press, async () => upload);
      },
    });
  };

  app.post('/console/imports/draft/:id/drop', write, async (request, reply) => {
    const press = pressOf(request);
    try {
      const { id } = await draftOf(request);
      await inOneTransaction(pool, async (on) => {
        await dropDraft(on, id);
        await once(on, press, async () => THROWN_AWAY);
      });
      return reply.redirect('/console/imports/', 303);
    } catch (error) {
      return reply.redirect(await wentTo(press, error), 303);
    }
  });

  /** An import page made for this: its people come on the list that was chosen. @throws InputError, PermissionError */
  async function newPage(request: FastifyRequest, sent: Sent): Promise<number> {
    const title = textOf(sent, 'new_page').trim();
    if (title !== '' && !can(request, 'page:write')) throw new PermissionError('page:write');
    if (title === '') throw new InputError({ page: 'Choose what they are imported to, or name something new.' });
    const name = shortName(title);
    if (name === '') throw new InputError({ page: 'Give it a name with a letter or a number in it.' });
    const list = listIn(sent);
    // Pressed twice: the first press has made it.
    const press = { ...pressOf(request), route: `/console/imports/draft/page ${JSON.stringify([name, title, list])}` };
    const made = await pages.create(request, { name, title, list }, press);
    if (!(await importPage(sql, made))) throw new InputError({ page: 'What was made of this name is deleted since: give it another one.' });
    return made;
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: UploadDraft,
    problems: string[] = [],
    made: { name: string; list: number | null } = { name: '', list: null },
  ): Promise<FastifyReply> {
    const { id, filename, autocreate_user_fields: autocreate } = draft;
    const [head, targets, declared, lists] = await Promise.all([
      headOf(contentOf(pool, id), HEAD_LINES),
      importPages(sql),
      declaredFields(sql, 200),
      readChoices(sql, 'lists', made.list === null ? [] : [made.list]),
    ]);
    const [header, ...lines] = head as [string[], ...string[][]];
    const columns = draft.columns.length === header.length ? draft.columns : guessColumns(header);
    const mayMake = can(request, 'page:write');
    const making = mayMake
      ? html`<h3>${targets.length ? 'Or something new' : 'A name for this'}</h3>${line({ name: 'new_page', label: 'Name', value: made.name, hint: 'People are found again by it: “Spring fair 2026”.' }, {})}
<div class="field"><label for="list">Puts them on the list</label><select id="list" name="list"><option value="">none</option>${lists.map((each) => html`<option value="${each.id}"${each.id === made.list ? html` selected` : ''}>${each.name}</option>`)}</select></div>`
      : '';
    const content = html`<p class="crumb"><a href="/console/imports/">Imports</a> / ${filename}</p><h1>What is in the file?</h1>
${leading(header.length, 'column', 'columns')}
${problems.length ? html`<div class="note bad" role="alert">${problems.map((each) => html`<p>${each}</p>`)}</div>` : ''}
<form method="post" action="/console/imports/draft/${id}/" class="write">${csrfField(formToken(request, reply))}
<div class="columns"><div><section class="card" aria-labelledby="columns"><h2 id="columns">Columns</h2><p class="small">Guessed by their names. One has to be the email address, or the id or akid people have here; an empty cell changes nothing.</p>${columnTable(header, lines, columns, declared)}</section></div>
<aside aria-label="Where they come"><div class="card actions"><button class="main">See what would happen</button></div>
<div class="card"><h2>Imported to</h2>${targets.length ? html`<div class="field"><label for="page">What it is for</label><select id="page" name="page"><option value="">${mayMake ? 'something new, below' : 'choose'}</option>${targets.map(({ id: target, name, list }) => html`<option value="${target}"${target === draft.page_id ? html` selected` : ''}>${name}${list ? ` → ${list}` : ''}</option>`)}</select>${targets.length < MOST_IMPORT_PAGES ? '' : html`<p class="small">The last ${count(MOST_IMPORT_PAGES)}; an upload over the API takes any.</p>`}</div>` : ''}${making}
${targets.length || mayMake ? '' : html`<p class="small">There is no import page yet, and your account needs the grant page:write to make one.</p>`}</div>
<div class="card"><label><input type="checkbox" name="autocreate" value="1"${autocreate ? html` checked` : ''}> ${DECLARE}</label></div></aside></div></form>
<form method="post" action="/console/imports/draft/${id}/drop">${csrfField(formToken(request, reply))}<button class="quiet">Throw the file away</button></form>`;
    return sendPage(request, reply, env, { title: `Import: columns – file ${id}`, content });
  }
}

/** The list that the people of something new come on. */
const listIn = (sent: Sent): number | null => idsOf(sent, 'list')[0] ?? null;

/** A form with one button. */
export const oneButton = (request: FastifyRequest, reply: FastifyReply, action: string, word: string, kind: string): Html =>
  html`<form method="post" action="${action}">${csrfField(formToken(request, reply))}<button class="${kind}">${word}</button></form>`;
