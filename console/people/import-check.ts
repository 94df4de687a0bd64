import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { personBy } from '../../core/people/import-ids.ts';
import { MOST_TRIED, OUTCOMES, type Outcome, type TriedLine, tryUpload } from '../../core/people/try-upload.ts';
import { contentOf, readDraft, type UploadDraft } from '../../core/people/upload-drafts.ts';
import { importPage } from '../../core/people/uploads.ts';
import { sqlOn } from '../../db/sql.ts';
import { csvLine, csvLink, sendLines } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, leading } from '../numbers.ts';
import { numbers, table } from '../table.ts';
import { oneButton } from './import-draft.ts';

const OUTCOME_WORDS: Record<Outcome, string> = {
  new: 'somebody new',
  changed: 'known: changed',
  same: 'known: nothing new',
  repeated: 'again in the file',
  wrong: 'cannot be imported',
};

/** Lines of each outcome that are shown. */
const SHOWN = 20;

/** `/console/imports/draft/{id}/check/`: what would become of each line, and the button that starts it. */
export function registerImportCheck(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;
  const sql = sqlOn(pool);
  const write = page('upload:write');
  const personOf = (look: boolean) => (look ? personBy(env.SECRET_KEY) : null);

  app.get('/console/imports/draft/:id/check/', write, async (request, reply) => {
    const draft = await readDraft(sql, idOf(request), request.account!.id);
    const { id, filename, columns, page_id: pageId } = draft;
    if (columns.length === 0 || pageId === null) return reply.redirect(`/console/imports/draft/${id}/`, 303);
    // Whether an address is known is for who may read people.
    const look = can(request, 'user:read');
    const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    const shown: TriedLine[] = [];
    // Of a longer file the lines behind are not looked at.
    const told = { more: false };
    for await (const tried of tryUpload(sql, contentOf(pool, id), columns, look, told, personOf(look)))
      if (++counts[tried.outcome] <= SHOWN) shown.push(tried);
    const all = Object.values(counts).reduce((sum, many) => sum + many, 0);
    const good = all - counts.wrong;
    const looked = `${told.more ? 'the first ' : ''}${count(all)}`;
    // Also one that is offered no more, hidden since it was chosen.
    const target = await importPage(sql, pageId);
    const content = html`<p class="crumb"><a href="/console/imports/">Imports</a> / <a href="/console/imports/draft/${id}/">${filename}</a></p><h1>What would happen</h1>
${leading(good, `line of ${looked} can be imported`, `lines of ${looked} can be imported`)}
${told.more ? html`<p class="note warn">Looked at the first ${count(MOST_TRIED)} lines; those behind are looked at as they are imported.</p>` : ''}
${look ? '' : html`<p class="note warn">Which of them are known already is shown to accounts with the grant user:read.</p>`}
<div class="columns"><div><section class="card" aria-labelledby="lines"><h2 id="lines">Line by line</h2>${all ? linesPart(shown, look, told.more) : html`<p class="none">There is no line below the first, which names the columns.</p>`}${csvLink(`/console/imports/draft/${id}/check.csv`, told.more ? `each of the first ${count(MOST_TRIED)} lines` : 'every line')}</section></div>
<aside aria-label="Start"><div class="card actions"><h2>${target?.name ?? ''}</h2><dl class="facts">${OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => html`<div><dt>${wordOf(outcome, look)}</dt><dd>${count(counts[outcome])}</dd></div>`)}</dl>
<p class="small">${target?.list ? html`Everybody comes on the list ${target.list}, who left it before, too.` : 'They come on no list.'}</p>
${good ? oneButton(request, reply, `/console/imports/draft/${id}/start`, `Import ${count(good)}${told.more ? ' and more' : ''} ${good === 1 ? 'line' : 'lines'}`, 'main') : ''}
<a class="button plain" href="/console/imports/draft/${id}/">Change the columns</a>${oneButton(request, reply, `/console/imports/draft/${id}/drop`, 'Throw the file away', 'plain')}</div></aside></div>`;
    return sendPage(request, reply, env, { title: `Import: what would happen – file ${id}`, content });
  });

  app.get('/console/imports/draft/:id/check.csv', write, async (request, reply) => {
    const draft = await readDraft(sql, idOf(request), request.account!.id);
    return sendLines(reply, `check-${draft.id}`, lines(draft, can(request, 'user:read')));
  });

  async function* lines({ id, columns }: UploadDraft, look: boolean): AsyncGenerator<string> {
    yield csvLine(['line', 'what', 'detail']);
    for await (const { line, outcome, detail } of tryUpload(sql, contentOf(pool, id), columns, look, undefined, personOf(look)))
      yield csvLine([line, wordOf(outcome, look), detail]);
  }
}

const wordOf = (outcome: Outcome, look: boolean): string => (outcome === 'new' && !look ? 'can be imported' : OUTCOME_WORDS[outcome]);

/** What cannot be imported first: that is what somebody may want to mend. */
function linesPart(shown: TriedLine[], look: boolean, more: boolean): Html {
  const sorted = [...shown].sort((a, b) => Number(b.outcome === 'wrong') - Number(a.outcome === 'wrong') || a.line - b.line);
  const rows = sorted.map(
    ({ line, outcome, detail }) =>
      html`<tr><td class="n">${count(line)}</td><td>${outcome === 'wrong' ? html`<strong class="wrong">${wordOf(outcome, look)}</strong>` : wordOf(outcome, look)}</td><td>${detail}</td></tr>`,
  );
  return html`${table('Lines', [numbers('Line'), 'What', 'Why, or what changes'], rows)}<p class="small">The first ${SHOWN} of each kind; ${more ? `all of the first ${count(MOST_TRIED)} lines` : 'all of them'} are in the file below.</p>`;
}
