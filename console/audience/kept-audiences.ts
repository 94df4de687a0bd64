import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { type Choice, readAudience } from '../../core/mailings/choices.ts';
import { TARGETING_FIELDS } from '../../core/mailings/input/targeting.ts';
import { markModel } from '../../core/mailings/model.ts';
import { createMailing } from '../../core/mailings/write-mailing.ts';
import { once } from '../../core/once.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { idsOf, mostOffered, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { checkMayChoose } from './may-choose.ts';
import { saveAudience } from './save-audience.ts';
import { versionOf } from './sent-audience.ts';

const LONGEST_NAME = 200;
const NOTES = 'An audience that was kept, to be chosen again.';

/**
 * Audiences kept under a name, as models of which the name is the subject: `…/choose/keep` makes one of what is stored, `…/choose/take` puts that of one in the
 * place of what is stored, whole.
 */
export function registerKeptAudiences(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);

  app.post('/console/mailings/:id/choose/keep', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const { targeting_version: _, landing_page, mergefile, ...targeting } = await readAudience(sql, id);
    // Who is meant by a page or a file is meant by that one.
    const audience = {
      ...targeting,
      ...(targeting.target_group_from_landing_page && { landing_page }),
      ...(targeting.target_mergefile && { mergefile }),
    };
    const name = textOf(request.body as Sent, 'keep_as').trim();
    if (name === '' || name.length > LONGEST_NAME)
      throw new InputError({ keep_as: `It needs a name of ${LONGEST_NAME} characters at most.` });
    if (/\{[{%]/.test(name)) throw new InputError({ keep_as: 'A name holds no template language.' });
    const press = pressed(request, `/console/mailings/${id}/choose/keep ${name}`);
    await transactionOf(context)((on) =>
      once(on, press, async () => {
        const made = await createMailing({ subjects: [name], notes: NOTES, ...audience }, inputContext(context, on, request));
        await markModel(on, made, true);
        return made;
      }),
    );
    return reply.redirect(`/console/mailings/${id}/choose/?done=kept`, 303);
  });

  app.post('/console/mailings/:id/choose/take', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const [from] = idsOf(sent, 'take_from');
    if (from === undefined) throw new InputError({ take_from: 'Choose a model first.' });
    const kept = await readAudience(sql, from);
    const { includes, excludes, limit, sort_by, target_mergefile, target_group_from_landing_page, mergefile, landing_page } = kept;
    await checkMayChoose(context.pool, id);
    // Every field: what the other has not is taken away.
    const whole = (side: object) => ({ ...Object.fromEntries(TARGETING_FIELDS.map((field) => [field, null])), ...side });
    const wanted = {
      includes: whole(includes),
      excludes: whole(excludes),
      limit,
      sort_by,
      target_group_from_landing_page,
      target_mergefile,
      ...(target_mergefile && { mergefile }),
      ...(target_group_from_landing_page && { landing_page }),
    };
    await saveAudience(context, request, id, wanted, versionOf(sent));
    return reply.redirect(`/console/mailings/${id}/choose/?done=taken`, 303);
  });
}

/** What was just done. */
export const KEPT_WORDS: Record<string, string> = {
  kept: 'It is kept, among the models.',
  taken: 'This is its audience now. It is to be built yet.',
};

/** Where an audience is kept, and one taken: fields of forms of their own (`keptForms`), so that Enter does in them what their buttons do. */
export const keptPart = (models: readonly Choice[]): Html => html`<details><summary>Keep it, or begin with one that was kept</summary>
<div class="field"><label for="keep_as">Keep what is stored, as</label><input id="keep_as" name="keep_as" form="keep" maxlength="${LONGEST_NAME}"></div><p class="actions row"><button class="plain" form="keep">Keep it</button></p>
${models.length ? html`<div class="field"><label for="take_from">Take that of the model</label><select id="take_from" name="take_from" form="take">${models.map(({ id: model, name }) => html`<option value="${model}">${name}</option>`)}</select>${mostOffered(models) && html`<p class="small">${mostOffered(models)}</p>`}</div><p class="actions row"><button class="plain" form="take">Take it in place of this one</button></p>` : ''}</details>`;

/** @param version of the targeting that is shown */
export const keptForms = (id: number, token: Html, version: number | string): Html =>
  html`<form id="keep" method="post" action="/console/mailings/${id}/choose/keep">${token}${onceField()}</form>
<form id="take" method="post" action="/console/mailings/${id}/choose/take">${token}<input type="hidden" name="targeting_version" value="${version}"></form>`;
