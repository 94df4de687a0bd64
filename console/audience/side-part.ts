import type { MatchField } from '../../domain/targeting/compile.ts';
import { describeClause, type ShownTargeting } from '../../domain/targeting/explain.ts';
import { MODIFIES, type TargetingField } from '../../domain/targeting/fields.ts';
import { MONTHLY_DONOR_STATES } from '../../domain/words.ts';
import { invalid } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { CAMPAIGN_RADIUS, NAMED, type Named, SAME, SIDES, WRITTEN, type Written } from './audience-fields.ts';
import { around, boxesOf, idOf, miles, nameOf, type ShownSide } from './control.ts';
import { writeMembers } from './members.ts';
import { MOST_CHOSEN, namedPart, type OfKind, peoplePart } from './named-part.ts';
import { membersIn } from './sent-audience.ts';
import { reportsPart, sqlPart } from './statements-part.ts';

const MEANING = {
  includes: 'Everybody subscribed who meets every line below; within a line one is enough. Nothing chosen: everybody on a list.',
  excludes: 'Whoever meets any line below is left out.',
} as const;

/** What a side is shown with. */
export interface ShownWhole extends ShownSide {
  kinds: Record<Named, OfKind>;
  /** Names of the people who are chosen. */
  people: ReadonlyMap<number, string>;
  /** The side as it is stored, by name: what has no field here is described. */
  stored: ShownTargeting;
  /** Whether the account may set a field that needs more than the grant for mailings. */
  maySet(field: TargetingField): boolean;
}

/** The fields of a side that the form has: of the others nothing is sent, and they stay. */
export function fieldsOf({ filled, stored, kinds, maySet }: ShownWhole): TargetingField[] {
  const some = (field: TargetingField) => membersIn(filled[field]).length;
  // What was sent is shown, however much it is; so much that is stored no form can have had.
  const few = (field: TargetingField) => Math.min(some(field), membersIn(stored[field]).length) <= MOST_CHOSEN;
  const named = (Object.keys(NAMED) as Named[]).filter((field) => (kinds[field].offered.length > 0 || some(field)) && few(field));
  const near: TargetingField[] = ['campaign_radius', ...(Object.keys(SAME) as (keyof typeof SAME)[])];
  const people: TargetingField[] = maySet('users') && few('users') ? ['users'] : [];
  const found = (['raw_sql', 'query_reports'] as const).filter(maySet);
  const withCampaigns = named.includes('campaigns') || near.some((field) => filled[field] !== undefined) ? near : [];
  const written = Object.keys(WRITTEN) as Written[];
  return [...named, ...withCampaigns, ...written, 'zip_radius', 'has_donated', 'was_monthly_donor', ...people, ...found];
}

/** One side of the targeting as fields, each with room for how many it means. */
export function sidePart(shown: ShownWhole): Html {
  const { side, filled, kinds } = shown;
  const fields = new Set(fieldsOf(shown));
  const named = (Object.keys(NAMED) as Named[]).filter((field) => fields.has(field));
  const part = (title: string, of: readonly TargetingField[], content: Html) => {
    if (!of.some((field) => fields.has(field))) return '';
    const open = of.some((field) => filled[field] !== undefined || shown.problems[field]);
    return html`<details${open ? html` open` : ''}><summary>${title}</summary>${content}</details>`;
  };
  const places = Object.keys(WRITTEN) as Written[];
  return html`<section class="card" aria-labelledby="${side}-title"><h2 id="${side}-title">${SIDES[side]}</h2>
<p class="small">${MEANING[side]}</p>
${named.map((field) => namedPart(shown, field, NAMED[field], kinds[field]))}
${part('Events: how near', ['campaign_radius', ...(Object.keys(SAME) as (keyof typeof SAME)[])], nearPart(shown))}
${part('Places', [...places, 'zip_radius'], html`${places.map((field) => placePart(shown, field))}${miles(shown, 'zip_radius', 'Miles around the zips or cities')}`)}
${part('Donations', ['has_donated', 'was_monthly_donor'], donationsPart(shown))}
${part('People by name', ['users'], peoplePart(shown, shown.people))}
${part('Reports', ['query_reports'], reportsPart(shown))}
${part('SQL', ['raw_sql'], sqlPart(shown))}
${othersPart(shown, fields)}</section>`;
}

const STAYS = 'Not for this account, or too many to be chosen here one by one. It stays as it is:';

/** What is stored and has no field here. */
function othersPart({ stored }: ShownWhole, fields: ReadonlySet<TargetingField>): Html | '' {
  const others = (Object.keys(stored) as TargetingField[]).filter(
    (field): field is MatchField => !(field in MODIFIES) && !fields.has(field),
  );
  if (others.length === 0) return '';
  return html`<div class="field"><p class="small">${STAYS}</p><ul class="conditions">${others.map((field) => html`<li>${describeClause(field, stored)}</li>`)}</ul></div>`;
}

function yes(shown: ShownSide, field: keyof typeof SAME): Html {
  const hint = `${idOf(shown, field)}-hint`;
  const wrong = shown.filled[field] === undefined ? [] : (shown.problems[field] ?? []);
  return html`<div class="field"><label><input type="checkbox" name="${nameOf(shown, field)}" value="yes"${shown.filled[field] === true ? html` checked` : ''}${wrong.length ? invalid(hint) : ''}> ${SAME[field]}</label>${
    wrong.length ? html`<p class="small" id="${hint}">${wrong.map((each) => html`<strong class="wrong">${each}</strong> `)}</p>` : ''
  }</div>`;
}

const nearPart = (shown: ShownSide): Html => html`${miles(shown, 'campaign_radius', ...CAMPAIGN_RADIUS)}
${(Object.keys(SAME) as (keyof typeof SAME)[]).map((field) => yes(shown, field))}`;

/** A field of places, found by what they are called as somebody types. */
function placePart(shown: ShownSide, field: Written): Html {
  const [label, hint] = WRITTEN[field];
  const values = membersIn(shown.filled[field]);
  const offers = shown.searched ? html` data-offers="${field}"` : '';
  const into = idOf(shown, field);
  if (field !== 'zips')
    return around(shown, field, { label, hint }, (attributes) => html`<input ${attributes} value="${writeMembers(values)}"${offers}>`);
  const city = shown.searched
    ? html`<input${offers} data-into="${into}" class="scripted" aria-label="Find a city" placeholder="Find a city">`
    : '';
  return around(
    shown,
    field,
    { label, hint },
    (attributes) => html`${city}<textarea ${attributes} rows="3">
${values.join('\n')}</textarea>`,
  );
}

function donationsPart(shown: ShownSide): Html {
  const donated = { true: 'yes', false: 'no' }[String(shown.filled.has_donated)] ?? '';
  const monthly = membersIn(shown.filled.was_monthly_donor);
  const options = Object.entries({ '': 'does not matter', yes: 'yes', no: 'no' }).map(
    ([value, word]) => html`<option value="${value}"${value === donated ? html` selected` : ''}>${word}</option>`,
  );
  const states = new Set<unknown>([...MONTHLY_DONOR_STATES, ...monthly]);
  const boxes = [...states].map(
    (state) =>
      html`<label><input type="checkbox" name="${nameOf(shown, 'was_monthly_donor')}" value="${String(state)}"${monthly.includes(state) ? html` checked` : ''}> ${String(state).replaceAll('_', ' ')}</label>`,
  );
  return html`${around(shown, 'has_donated', { label: 'Has donated' }, (attributes) => html`<select ${attributes}>${options}</select>`)}
${boxesOf(shown, 'was_monthly_donor', 'Gives monthly', html`<div class="boxes">${boxes}</div>`)}`;
}
