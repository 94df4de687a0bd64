import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { changeMailing } from '../../api/mailer/write-routes.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { type Choice, type ChoiceKind, readAudience, readChoices, type StoredAudience } from '../../core/mailings/choices.ts';
import { requestRebuild } from '../../core/targeting/request-rebuild.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, StaleVersionError, UnknownListError } from '../../domain/errors.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { EVENT_MILES, type Targeting, type TargetingField } from '../../domain/targeting/fields.ts';
import { type MailingStatus, MONTHLY_DONOR_STATES } from '../../domain/words.ts';
import { choices, idsOf, line, membersOf, type Problems, type Sent, textOf, textsOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { mailingHead, readMailing } from '../mailings/mailing-document.ts';
import { statusWord } from '../mailings/status-words.ts';
import { audienceWords } from './audience.ts';

/** Fields that name things there are. */
const NAMED = {
  lists: 'On any of these lists',
  tags: 'Took part in anything tagged',
  actions: 'Acted on any of these pages',
  mailings: 'Was sent any of these mailings',
  languages: 'Speaks',
  target_groups: 'Represented by one of these groups of targets',
  campaigns: `Within ${EVENT_MILES} miles of an event of these campaigns`,
} as const satisfies Partial<Record<TargetingField & ChoiceKind, string>>;
type Named = keyof typeof NAMED;

/** Fields that name places; zips may be cities, too, with a comma of their own. */
const WRITTEN = {
  states: ['States', 'NY, CA'],
  countries: ['Countries', 'United States'],
  zips: ['Zips or cities', 'One a line: 10001, 100*, 10001-10099 or Albany, NY'],
  counties: ['Counties', 'Albany'],
  cds: ['Congressional districts', 'NY_12'],
  state_house_districts: ['State house districts', 'NY_012'],
  state_senate_districts: ['State senate districts', 'NY_012'],
  regions: ['Regions', ''],
} as const satisfies Partial<Record<TargetingField, readonly [string, string]>>;
type Written = keyof typeof WRITTEN;

const SIDES = { includes: 'Who gets it', excludes: 'But not' } as const;
const PER_LINE = /\n+/;

/** `…/{id}/choose/`: whom a mailing is for. What can be said over the API alone (people by name, SQL, reports) is shown, and stays. */
export function registerAudienceForm(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/choose/', page('mailer:read'), async (request, reply) =>
    showForm(context, request, reply, await readAudience(sqlOn(context.pool), idOf(request))),
  );

  app.post('/console/mailings/:id/choose/', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const wanted = wantedOf(sent);
    try {
      await changeMailing(context, request, id, wanted);
    } catch (error) {
      const problems = problemsOf(error);
      if (!problems) throw error;
      // What was typed stays; what it is checked against next time is what is stored now.
      const stored = await readAudience(sqlOn(context.pool), id);
      const { includes, excludes } = wanted as unknown as Pick<StoredAudience, Side>;
      return showForm(
        context,
        request,
        reply.code(error instanceof StaleVersionError ? 409 : 400),
        {
          ...stored,
          includes: { ...stored.includes, ...shownAs(includes) },
          excludes: { ...stored.excludes, ...shownAs(excludes) },
        },
        problems,
      );
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
  if (error instanceof UnknownListError) return { audience: [error.message] };
  return error instanceof InputError ? error.fields : null;
}

/** Nulls, which take a field away, as nothing chosen. */
const shownAs = (side: object): Targeting => Object.fromEntries(Object.entries(side).filter(([, value]) => value !== null));

/** The form as the API takes it: a field left empty is taken away. */
function wantedOf(sent: Sent): Record<string, unknown> {
  const side = (name: Side) => {
    const at = (field: string) => `${name}.${field}`;
    const orNull = <Value>(values: Value[]) => (values.length ? values : null);
    const donated = textOf(sent, at('has_donated'));
    const radius = textOf(sent, at('zip_radius')).trim();
    return {
      ...Object.fromEntries(Object.keys(NAMED).map((field) => [field, orNull(idsOf(sent, at(field)))])),
      ...Object.fromEntries(
        Object.keys(WRITTEN).map((field) => [field, orNull(membersOf(textOf(sent, at(field)), field === 'zips' ? PER_LINE : undefined))]),
      ),
      zip_radius: radius === '' ? null : radius,
      has_donated: donated === '' ? null : donated === 'yes',
      was_monthly_donor: orNull(textsOf(sent, at('was_monthly_donor')).filter((state) => MONTHLY_DONOR_STATES.includes(state as never))),
    };
  };
  return {
    includes: side('includes'),
    excludes: side('excludes'),
    limit: textOf(sent, 'limit').trim() || null,
    sort_by: textOf(sent, 'sort_by') || null,
    targeting_version: Number(textOf(sent, 'targeting_version')),
  };
}

async function showForm(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredAudience,
  problems: Problems = {},
): Promise<FastifyReply> {
  const id = idOf(request);
  const sql = sqlOn(context.pool);
  const kinds = Object.keys(NAMED) as Named[];
  const read = kinds.map(
    async (kind) => [kind, await readChoices(sql, kind, [...(stored.includes[kind] ?? []), ...(stored.excludes[kind] ?? [])])] as const,
  );
  const all = Object.fromEntries(await Promise.all(read)) as Record<Named, Choice[]>;
  const mailing = await readMailing(context, id);
  const wrong = Object.values(problems).flat();
  const content = html`${mailingHead(mailing, 'choose/')}
${wrong.length ? html`<div class="note bad" role="alert"><p>It was not saved.</p>${wrong.map((each) => html`<p>${each}</p>`)}</div>` : ''}
<form method="post" action="/console/mailings/${id}/choose/" class="write">${csrfField(formToken(request, reply))}<input type="hidden" name="targeting_version" value="${stored.targeting_version}">
<div class="columns"><div>${(Object.keys(SIDES) as Side[]).map((side) => sidePart(side, stored[side], all))}</div>
<aside aria-label="How many, and in words"><div class="card actions">${savePart(request, mailing.status)}</div>
<div class="card"><h2>At most</h2>${line({ name: 'limit', label: 'People', type: 'number', value: String(stored.limit ?? ''), hint: 'Empty: everybody.' }, problems)}
<div class="field"><label for="sort_by">Picked</label><select id="sort_by" name="sort_by">${[
    ['', 'by number'],
    ['random', 'at random'],
    ['zip', 'by zip'],
  ].map(
    ([value, word]) => html`<option value="${value}"${(stored.sort_by ?? '') === value ? html` selected` : ''}>${word}</option>`,
  )}</select></div></div>
<div class="card"><h2>As it is stored</h2>${audienceWords(mailing)}</div></aside></div></form>`;
  return sendPage(request, reply, context.env, { title: `Audience – mailing ${id}`, content });
}

function savePart(request: FastifyRequest, status: MailingStatus): Html {
  if (!can(request, 'mailer:write')) return html`<p class="small">Your account reads only.</p>`;
  if (!REBUILDABLE.includes(status))
    return html`<p class="small">The audience cannot be changed while the mailing is ${statusWord(status).toLowerCase()}.</p>`;
  return html`<button class="main">Save and build the audience</button><button class="plain" name="go" value="count">Save and count each line</button>`;
}

function sidePart(side: Side, targeting: Targeting, all: Record<Named, Choice[]>): Html {
  const name = (field: string) => `${side}.${field}`;
  const id = (field: string) => `${side}-${field}`;
  const named = (Object.keys(NAMED) as Named[]).map((field) =>
    choices({ name: name(field), label: NAMED[field], values: targeting[field] ?? [], choices: all[field] }),
  );
  const written = (Object.keys(WRITTEN) as Written[]).map((field) => {
    const [label, hint] = WRITTEN[field];
    const values = targeting[field] ?? [];
    const box =
      field === 'zips'
        ? html`<textarea id="${id(field)}" name="${name(field)}" rows="3">
${values.join('\n')}</textarea>`
        : html`<input id="${id(field)}" name="${name(field)}" value="${values.join(', ')}">`;
    return html`<div class="field"><label for="${id(field)}">${label}</label>${box}${hint ? html`<p class="small">${hint}</p>` : ''}</div>`;
  });
  const donated = targeting.has_donated === undefined ? '' : targeting.has_donated ? 'yes' : 'no';
  return html`<section class="card" aria-labelledby="${side}-title"><h2 id="${side}-title">${SIDES[side]}</h2>
<p class="small">${side === 'includes' ? 'Everybody subscribed who meets every line below; within a line one is enough. Nothing chosen: everybody on a list.' : 'Whoever meets any line below is left out.'}</p>
${named}<details${written.length && (Object.keys(WRITTEN) as Written[]).some((field) => targeting[field]?.length) ? html` open` : ''}><summary>Places</summary>${written}
<div class="field"><label for="${id('zip_radius')}">Miles around the zips or cities</label><input id="${id('zip_radius')}" name="${name('zip_radius')}" type="number" min="1" value="${targeting.zip_radius ?? ''}"></div></details>
<details${donated || targeting.was_monthly_donor?.length ? html` open` : ''}><summary>Donations</summary>
<div class="field"><label for="${id('has_donated')}">Has donated</label><select id="${id('has_donated')}" name="${name('has_donated')}">${[
    ['', 'does not matter'],
    ['yes', 'yes'],
    ['no', 'no'],
  ].map(([value, word]) => html`<option value="${value}"${value === donated ? html` selected` : ''}>${word}</option>`)}</select></div>
<fieldset class="field"><legend>Gives monthly</legend><div class="boxes">${MONTHLY_DONOR_STATES.map((state) => html`<label><input type="checkbox" name="${name('was_monthly_donor')}" value="${state}"${targeting.was_monthly_donor?.includes(state) ? html` checked` : ''}> ${state.replaceAll('_', ' ')}</label>`)}</div></fieldset></details></section>`;
}
