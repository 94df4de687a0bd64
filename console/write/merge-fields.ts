import type { Choice } from '../../core/mailings/choices.ts';
import { type Html, html } from '../html.ts';

const VALUES = [
  ...['user.first_name', 'user.last_name', 'user.city', 'user.state', 'user.zip', 'user.email'].map((name) => `{{ ${name} }}`),
  '{{ user.first_name|default:"friend" }}',
  '{{ unsubscribe_link }}',
  '{{ view_link }}',
];
const MOST_SNIPPETS = 50;
export const MOST_FIELDS = 50;
const MORE = html`<small>… and others, which are written by their names</small>`;

/** How a template names a custom field; of those that none can name, nothing. */
const fieldPlaces = (names: readonly string[]) =>
  names
    .filter((name) => !/^_|["\\{}%\n\r]/.test(name))
    .map((name) => `{{ user.custom_fields${/^[a-z]\w*$/i.test(name) ? `.${name}` : `["${name}"]`} }}`);

/** What can stand in a mail, to be put in at the cursor, or copied. @param fields names of the custom fields of people; one more than MOST_FIELDS where there are more */
export function mergeFields(snippets: Choice[], fields: readonly string[]): Html {
  const pick = (text: string) => html`<button type="button" class="pick" data-insert="${text}"><code>${text}</code></button> `;
  return html`<details class="picks"><summary>What can stand in it</summary><p class="small">A press puts it in at the cursor.</p><p>${VALUES.map(pick)}</p>
${fields.length ? html`<p class="small">Custom fields</p><p>${fieldPlaces(fields.slice(0, MOST_FIELDS)).map(pick)}${fields.length > MOST_FIELDS ? MORE : ''}</p>` : ''}
${snippets.length ? html`<p class="small">Snippets</p><p>${snippets.slice(0, MOST_SNIPPETS).map(({ name }) => pick(`{% include "${name}" %}`))}${snippets.length > MOST_SNIPPETS ? MORE : ''}</p>` : ''}</details>`;
}
