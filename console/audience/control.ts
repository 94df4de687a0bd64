import type { Side } from '../../domain/targeting/compile.ts';
import type { TargetingField } from '../../domain/targeting/fields.ts';
import { invalid, invalidGroup, type Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';
import type { FilledSide } from './sent-audience.ts';

/** One side of the targeting, as its fields are shown. */
export interface ShownSide {
  side: Side;
  filled: FilledSide;
  problems: Problems;
  /** The script of the form is there: what there is can be searched. */
  searched: boolean;
}

/** What is wrong with a field of this side: messages say the side they are of, or are of both. */
function problemsAt({ side, filled, problems }: ShownSide, field: TargetingField): string[] {
  const about = `${side}: ${field} `;
  return (problems[field] ?? []).flatMap((message) => {
    if (message.startsWith(about)) return [`It ${message.slice(about.length)}`];
    return /^(includes|excludes): /.test(message) || filled[field] === undefined ? [] : [message];
  });
}

const wrongAt = (shown: ShownSide, field: TargetingField): Html[] =>
  problemsAt(shown, field).map((each) => html`<strong class="wrong">${each}</strong> `);

/** Where the script puts how many a field means. */
const countOf = ({ side }: ShownSide, field: string): Html => html`<small class="counted" data-counted="${side}.${field}"></small>`;

export const nameOf = ({ side }: ShownSide, field: string) => `${side}.${field}`;
export const idOf = ({ side }: ShownSide, field: string) => `${side}-${field}`;

/** A field with its label, its count, a word of help and what is wrong with it. @param counted of a field that means somebody by itself */
export function around(
  shown: ShownSide,
  field: TargetingField,
  { label, hint = '', counted = true }: { label: string; hint?: string; counted?: boolean },
  input: (attributes: Html) => Html,
): Html {
  const id = idOf(shown, field);
  const wrong = wrongAt(shown, field);
  const said = wrong.length ? invalid(`${id}-hint`) : hint ? html` aria-describedby="${id}-hint"` : '';
  return html`<div class="field"><div class="line"><label for="${id}">${label}</label>${counted ? countOf(shown, field) : ''}</div>
${input(html`id="${id}" name="${nameOf(shown, field)}"${said}`)}
${wrong.length || hint ? html`<p class="small" id="${id}-hint">${wrong}${hint}</p>` : ''}</div>`;
}

/** Some of what there is, as boxes, with what is wrong with them. */
export function boxesOf(shown: ShownSide, field: TargetingField, label: string, content: Html): Html {
  const hint = `${idOf(shown, field)}-hint`;
  const wrong = wrongAt(shown, field);
  return html`<fieldset class="field"${wrong.length ? invalidGroup(hint) : ''}>
<legend>${label}</legend>${countOf(shown, field)}${wrong.length ? html`<p class="small" id="${hint}">${wrong}</p>` : ''}${content}</fieldset>`;
}

/** A number of miles around something. */
export const miles = (shown: ShownSide, field: 'zip_radius' | 'campaign_radius', label: string, hint = ''): Html =>
  around(
    shown,
    field,
    { label, hint, counted: false },
    (attributes) => html`<input ${attributes} type="number" min="0" step="any" value="${String(shown.filled[field] ?? '')}">`,
  );
