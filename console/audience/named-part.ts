import type { Choice } from '../../core/mailings/choices.ts';
import { type Html, html } from '../html.ts';
import type { Named } from './audience-fields.ts';
import { boxesOf, nameOf, type ShownSide } from './control.ts';
import { membersIn } from './sent-audience.ts';

/** So many are offered as boxes; the others are found by a search, or, without scripts, stand below them. */
const BOXES = 40;
/** So few need no search. */
const AT_A_GLANCE = 8;
/** More than so many that are chosen are not shown one by one: they are described, and stay. */
export const MOST_CHOSEN = 1000;

/** What there is of a kind, and the names of what was chosen that is not among it. */
export interface OfKind {
  offered: readonly Choice[];
  others: ReadonlyMap<number, string>;
}

/** Any number of what there is, what is chosen first. What is hidden or gone is not offered; what is chosen of it stays until somebody takes it away. */
export function namedPart(shown: ShownSide, field: Named, label: string, { offered, others }: OfKind): Html {
  const chosen = membersIn(shown.filled[field]);
  const isChosen = new Set(chosen);
  const there = new Set<unknown>(offered.map(({ id }) => id));
  const ticked = [
    ...offered.filter(({ id }) => isChosen.has(id)),
    ...chosen.filter((each) => !there.has(each)).map((id) => ({ id, name: others.get(id as number) ?? '' })),
  ];
  const rest = offered.filter(({ id }) => !isChosen.has(id));
  const box = ({ id, name }: { id: unknown; name: string }) =>
    html`<label><input type="checkbox" name="${nameOf(shown, field)}" value="${String(id)}"${isChosen.has(id) ? html` checked` : ''}> ${
      name || (typeof id === 'number' ? `No. ${id}` : String(id))
    }</label>`;
  const search = shown.searched && offered.length > AT_A_GLANCE ? searchOf(shown, field, label) : '';
  const first = shown.searched ? BOXES : rest.length;
  const below = rest.slice(first);
  return boxesOf(
    shown,
    field,
    label,
    html`${search}<div class="boxes">${[...ticked, ...rest.slice(0, first)].map(box)}${below.length ? html`<noscript>${below.map(box)}</noscript>` : ''}</div>`,
  );
}

const searchOf = (shown: ShownSide, field: string, label: string): Html =>
  html`<input type="search" data-search="${field}" data-boxes="${nameOf(shown, field)}" aria-label="Search: ${label}" placeholder="Search" autocomplete="off" spellcheck="false">
<p class="small" role="status"></p>`;

const PEOPLE = 'Is one of these people';

/** People by name, for who may read people. @param names of those who are chosen */
export function peoplePart(shown: ShownSide, names: ReadonlyMap<number, string>): Html {
  const chosen = membersIn(shown.filled.users);
  const name = nameOf(shown, 'users');
  const box = (each: unknown) =>
    html`<label><input type="checkbox" name="${name}" value="${String(each)}" checked> ${names.get(each as number) ?? (typeof each === 'number' ? `No. ${each}` : String(each))}</label>`;
  return boxesOf(
    shown,
    'users',
    PEOPLE,
    html`${shown.searched ? searchOf(shown, 'users', PEOPLE) : ''}
<noscript><input name="${name}" aria-label="Email addresses or ids of people" placeholder="Email addresses or ids"></noscript>
<div class="boxes">${chosen.map(box)}</div>`,
  );
}
