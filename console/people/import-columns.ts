import { fieldName } from '../../domain/people/guess-columns.ts';
import { BY_AKID, BY_ID, FULL_NAME, IMPORT_COLUMNS, PHONE_COLUMNS } from '../../domain/people/import-line.ts';
import { type Html, html } from '../html.ts';

/** Of the names of ours, those that say little by themselves. */
const WORDS: Record<string, string> = {
  email: 'Email address',
  [BY_ID]: 'Id of the person here',
  [BY_AKID]: 'Akid, as links in mails have it',
  [FULL_NAME]: 'First and last name in one',
  zip: 'Zip',
  plus4: 'Zip, last four digits',
  postal: 'Postal code abroad',
  source: 'Source',
  phone: 'Phone (at home, where no column says its type)',
  phone_type: 'Type of the phone',
};

const wordOf = (column: string): string => {
  const word = WORDS[column] ?? column.replace('address1', 'street').replace('address2', 'street, second line').replaceAll('_', ' ');
  return word.charAt(0).toUpperCase() + word.slice(1);
};

const option = (value: string, word: string) => ({
  value,
  plain: html`<option value="${value}">${word}</option>`,
  selected: html`<option value="${value}" selected>${word}</option>`,
});

/** Each column of a file, with its first cells and the choice of what it is. */
export function columnTable(header: string[], lines: string[][], columns: string[], declared: string[]): Html {
  const ours = ['email', BY_ID, BY_AKID, FULL_NAME, ...IMPORT_COLUMNS, ...PHONE_COLUMNS].map((column) => option(column, wordOf(column)));
  const field = (name: string) => option(`user_${name}`, `Custom field ${name}`);
  // Written once, not for each of many columns: only the one that is chosen differs.
  const fields = declared.filter((name) => `user_${name.toLowerCase()}` !== BY_ID).map(field);
  const everywhere = [option('', 'Leave it out'), ...ours, ...fields];
  const known = new Set(everywhere.map(({ value }) => value));
  const rows = header.map((cell, n) => {
    const chosen = columns[n] ?? '';
    const own = fieldName(cell);
    const more = own ? [field(own), option(`action_${own}`, `Field of the import, ${own}`)] : [];
    const others = more.filter(({ value }) => !known.has(value));
    if (!known.has(chosen) && !others.some(({ value }) => value === chosen)) others.push(option(chosen, chosen));
    const options = [...everywhere, ...others].map((each) => (each.value === chosen ? each.selected : each.plain));
    const examples = lines.map((line) => line[n]?.trim() ?? '').filter(Boolean);
    return html`<tr><th scope="row"><label for="column-${n}">${cell.trim().slice(0, 80) || `Column ${n + 1}`}</label><small class="examples">${examples.map((each) => each.slice(0, 40)).join(' · ')}</small></th>
<td><select id="column-${n}" name="column">${options}</select></td></tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Columns of the file"><table><thead><tr><th scope="col">In the file</th><th scope="col">Is</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
