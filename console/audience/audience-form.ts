import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { readAudience, readChoices } from '../../core/mailings/choices.ts';
import { savedCount } from '../../core/mailings/existing.ts';
import { targetingWith } from '../../core/mailings/write-mailing.ts';
import { readCounted } from '../../core/targeting/explain-audience.ts';
import { requestRebuild } from '../../core/targeting/request-rebuild.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, StaleVersionError, UnavailableError, UnknownListError } from '../../domain/errors.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { assetPath } from '../assets.ts';
import { line, type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { type MailingDocument, mailingHead, readMailing } from '../mailings/mailing-document.ts';
import { messagesIn } from '../plain-words.ts';
import { audienceCount, audienceWords } from './audience.ts';
import { KEPT_WORDS, keptForms, keptPart } from './kept-audiences.ts';
import { checkMayChoose, mayChoose, notNow } from './may-choose.ts';
import { narrowingPart } from './narrowing-part.ts';
import { saveAudience } from './save-audience.ts';
import { asStored, type Filled, filledOf, SET, versionOf, wantedOf } from './sent-audience.ts';
import { shownSides } from './shown-sides.ts';
import { fieldsOf, sidePart } from './side-part.ts';

/** `…/{id}/choose/`: whom a mailing is for. What the account may not set (people by name, SQL, reports) is described, and stays. */
export function registerAudienceForm(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/choose/', page('mailer:read'), async (request, reply) =>
    showForm(context, request, reply, await readAudience(sqlOn(context.pool), idOf(request))),
  );

  app.post('/console/mailings/:id/choose/', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const before = await readAudience(sqlOn(context.pool), id);
    try {
      await checkMayChoose(context.pool, id);
      const wanted = asStored(wantedOf(sent), before);
      // A form shows all there is: what a radius is around is asked for here, where a change in parts may leave it to a later one.
      await targetingWith(await readCounted(context, id), wanted, inputContext(context, sqlOn(context.pool), request));
      await saveAudience(context, request, id, wanted, versionOf(sent));
    } catch (error) {
      const problems = problemsOf(error);
      if (!problems) throw error;
      const stored = await readAudience(sqlOn(context.pool), id);
      const filled = filledOf(sent, stored);
      if (error instanceof UnavailableError) return showForm(context, request, reply.code(503), filled, problems);
      if (!(error instanceof StaleVersionError)) return showForm(context, request, reply.code(400), filled, problems);
      // Only whoever is told of somebody else's change may put their own in its place.
      return showForm(context, request, reply.code(409), { ...filled, targeting_version: stored.targeting_version }, problems);
    }
    if (textOf(sent, 'go') === 'count') return reply.redirect(`/console/mailings/${id}/audience/`, 303);
    await requestRebuild(asking(context, 'rebuildTargets'), { mailingId: id, accountId: request.account!.id });
    return reply.redirect(`/console/mailings/${id}/?done=rebuilding`, 303);
  });
}

function problemsOf(error: unknown): Problems | null {
  if (error instanceof StaleVersionError)
    return {
      audience: [
        'Somebody else has changed the audience since you opened it. What you see is yours: save once more to put it in the place of theirs.',
      ],
    };
  if (error instanceof UnknownListError) return { lists: [error.message] };
  if (error instanceof UnavailableError) return { audience: [error.message] };
  return error instanceof InputError ? error.fields : null;
}

async function showForm(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  filled: Filled,
  problems: Problems = {},
): Promise<FastifyReply> {
  const id = idOf(request);
  const sql = sqlOn(context.pool);
  const [mailing, saved] = await Promise.all([readMailing(context, id), savedCount(context.pool, id)]);
  const models = (await readChoices(sql, 'models')).filter((each) => each.id !== id);
  const wrong = messagesIn({ fields: problems });
  const done = KEPT_WORDS[String((request.query as Record<string, unknown>)['done'])];
  const chooses = can(request, 'mailer:write') && mayChoose(mailing.status);
  const sides = await shownSides(context, request, { mailing, filled, problems, searched: chooses });
  const narrowing = await narrowingPart(sql, request, filled, problems);
  const set = [
    ...sides.flatMap((shown) => fieldsOf(shown).map((field) => `${shown.side}.${field}`)),
    ...narrowing.fields,
    'limit',
    'sort_by',
  ];
  const at = `/console/mailings/${id}/choose/`;
  const token = formToken(request, reply);
  const content = html`${mailingHead(mailing, 'choose/')}
${done ? html`<p class="note good" role="status">${done}</p>` : ''}${wrong.length ? refused(wrong) : ''}
<form method="post" action="${at}" class="write"${chooses ? html` data-counts="${at}counts"` : ''}>${csrfField(token)}
<input type="hidden" name="targeting_version" value="${filled.targeting_version}"><input type="hidden" name="${SET}" value="${set.join(' ')}">
<div class="columns"><div>${sides.map(sidePart)}</div>
<aside aria-label="How many, and in words">${manyPart(mailing, saved, chooses)}
<div class="card actions">${savePart(request, mailing.status)}</div>
${mostPart(filled, problems)}
${narrowing.content}
<div class="card"><h2>As it is stored</h2>${audienceWords(mailing)}${chooses ? keptPart(models) : ''}</div></aside></div></form>
${chooses ? html`${keptForms(id, csrfField(token), filled.targeting_version)}<script type="module" src="${assetPath('choose.js')}"></script>` : ''}`;
  return sendPage(request, reply, context.env, { title: `Audience – mailing ${id}`, content });
}

const refused = (wrong: readonly string[]): Html =>
  html`<div class="note bad" role="alert"><p>It was not saved.</p>${wrong.map((each) => html`<p>${each}</p>`)}</div>`;

/** How many at most, and which of them. */
function mostPart({ limit, sort_by }: Filled, problems: Problems): Html {
  const order = { '': 'by number', random: 'at random', zip: 'by zip' };
  const options = Object.entries(order).map(
    ([value, word]) => html`<option value="${value}"${value === (sort_by ?? '') ? html` selected` : ''}>${word}</option>`,
  );
  return html`<div class="card"><h2>At most</h2>
${line({ name: 'limit', label: 'People', type: 'number', value: String(limit ?? ''), hint: 'Empty: everybody.' }, problems)}
<div class="field"><label for="sort_by">Picked</label><select id="sort_by" name="sort_by">${options}</select></div></div>`;
}

/** How many people: while somebody chooses, as the script counts and describes them; else, and without scripts, as it was built. */
function manyPart(mailing: MailingDocument, saved: number | null, chooses: boolean): Html {
  const built = html`<div class="card"><h2>How many, as it was built</h2>${audienceCount(mailing, saved)}</div>`;
  if (!chooses) return built;
  return html`<div class="card scripted" data-whole><h2>How many, now</h2><p class="big">–</p><p class="small" role="status">Counting …</p><div data-words></div></div>
<noscript>${built}</noscript>`;
}

function savePart(request: FastifyRequest, status: MailingStatus): Html {
  if (!can(request, 'mailer:write')) return html`<p class="small">Your account reads only.</p>`;
  if (!mayChoose(status)) return html`<p class="small">${notNow(status)}</p>`;
  return html`<button class="main">Save and build the audience</button><button class="plain" name="go" value="count">Save and count each line</button>`;
}
