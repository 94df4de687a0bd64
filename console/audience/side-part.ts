import type { Choice } from '../../core/mailings/choices.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import { MONTHLY_DONOR_STATES } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { NAMED, type Named, WRITTEN, type Written } from './audience-fields.ts';

export const SIDES = { includes: 'Who gets it', excludes: 'But not' } as const;

/** So many are offered as boxes; the others are found by a search, or, without scripts, stand below them. */
const BOXES = 40;
/** So few need no search. */
const AT_A_GLANCE = 8;

/**
 * One side of the targeting as fields, each with room for how many it means.
 * @param searched the script of the form is there
 */
export function sidePart(side: Side, targeting: Targeting, all: Record<Named, Choice[]>, searched: boolean): Html {
  const places = Object.keys(WRITTEN) as Written[];
  const donated = targeting.has_donated === undefined ? '' : targeting.has_donated ? 'yes' : 'no';
  const monthly = targeting.was_monthly_donor ?? [];
  const name = (field: string) => `${side}.${field}`;
  const id = (field: string) => `${side}-${field}`;
  return html`<section class="card" aria-labelledby="${side}-title"><h2 id="${side}-title">${SIDES[side]}</h2>
<p class="small">${side === 'includes' ? 'Everybody subscribed who meets every line below; within a line one is enough. Nothing chosen: everybody on a list.' : 'Whoever meets any line below is left out.'}</p>
${(Object.keys(NAMED) as Named[]).map((field) => namedPart(side, field, { chosen: targeting[field] ?? [], all: all[field], searched }))}
<details${targeting.zip_radius || places.some((field) => targeting[field]?.length) ? html` open` : ''}><summary>Places</summary>${places.map((field) => writtenPart(side, field, targeting[field] ?? []))}
<div class="field"><label for="${id('zip_radius')}">Miles around the zips or cities</label><input id="${id('zip_radius')}" name="${name('zip_radius')}" type="number" min="1" value="${targeting.zip_radius ?? ''}"></div></details>
<details${donated || monthly.length ? html` open` : ''}><summary>Donations</summary>
<div class="field">${labelled(side, 'has_donated', html`<label for="${id('has_donated')}">Has donated</label>`)}<select id="${id('has_donated')}" name="${name('has_donated')}">${[
    ['', 'does not matter'],
    ['yes', 'yes'],
    ['no', 'no'],
  ].map(([value, word]) => html`<option value="${value}"${value === donated ? html` selected` : ''}>${word}</option>`)}</select></div>
<fieldset class="field"><legend>Gives monthly</legend>${countOf(side, 'was_monthly_donor')}<div class="boxes">${MONTHLY_DONOR_STATES.map((state) => html`<label><input type="checkbox" name="${name('was_monthly_donor')}" value="${state}"${monthly.includes(state) ? html` checked` : ''}> ${state.replaceAll('_', ' ')}</label>`)}</div></fieldset></details></section>`;
}

/** Where the script puts how many a field means. */
const countOf = (side: Side, field: string): Html => html`<small class="counted" data-counted="${side}.${field}"></small>`;
const labelled = (side: Side, field: string, label: Html): Html => html`<div class="line">${label}${countOf(side, field)}</div>`;

/** Any number of what there is, what is chosen first. */
function namedPart(
  side: Side,
  field: Named,
  { chosen, all, searched }: { chosen: readonly number[]; all: readonly Choice[]; searched: boolean },
): Html {
  if (all.length === 0 && chosen.length === 0) return html``;
  const box = ({ id, name }: Choice) =>
    html`<label><input type="checkbox" name="${side}.${field}" value="${id}"${chosen.includes(id) ? html` checked` : ''}> ${name || `No. ${id}`}</label>`;
  // What is hidden or gone is not offered; what is chosen of it stays until somebody takes it away.
  const gone = chosen.filter((id) => !all.some((each) => each.id === id)).map((id) => ({ id, name: '' }));
  const ticked = [...all.filter(({ id }) => chosen.includes(id)), ...gone];
  const others = all.filter(({ id }) => !chosen.includes(id));
  const search =
    searched && all.length > AT_A_GLANCE
      ? html`<input type="search" data-search="${field}" aria-label="Search: ${NAMED[field]}" placeholder="Search" autocomplete="off" spellcheck="false"><p class="small" role="status"></p>`
      : '';
  const shown = searched ? BOXES : others.length;
  const below = others.slice(shown);
  return html`<fieldset class="field"><legend>${NAMED[field]}</legend>${countOf(side, field)}${search}<div class="boxes">${[...ticked, ...others.slice(0, shown)].map(box)}${below.length ? html`<noscript>${below.map(box)}</noscript>` : ''}</div></fieldset>`;
}

function writtenPart(side: Side, field: Written, values: readonly string[]): Html {
  const [label, hint] = WRITTEN[field];
  const id = `${side}-${field}`;
  const box =
    field === 'zips'
      ? html`<textarea id="${id}" name="${side}.${field}" rows="3">
${values.join('\n')}</textarea>`
      : html`<input id="${id}" name="${side}.${field}" value="${values.join(', ')}">`;
  return html`<div class="field">${labelled(side, field, html`<label for="${id}">${label}</label>`)}${box}${hint ? html`<p class="small">${hint}</p>` : ''}</div>`;
}
