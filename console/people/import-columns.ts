import { fieldName } from '../../domain/people/guess-columns.ts';
import { IMPORT_COLUMNS } from '../../domain/people/import-line.ts';
import { type Html, html } from '../html.ts';

/** Of the names of ours, those that say little by themselves. */
const WORDS: Record<string, string> = {
  email: 'Email address',
  zip: 'Zip',
  plus4: 'Zip, last four digits',
  postal: 'Postal code abroad',
  source: 'Source',
};

const wordOf = (column: string): string => {
  const word = WORDS[column] ?? column.replace('address1', 'street').replace('address2', 'street, second line').replaceAll('_', ' ');
  return word.charAt(0).toUpperCase() + word.slice(1);
};

/** Each column of a file, with its first cells and the choice of what it is. */
export function columnTable(header: string[], lines: string[][], columns: string[], declared: string[]): Html {
  const ours = ['email', ...IMPORT_COLUMNS].map((column): [string, string] => [column, wordOf(column)]);
  const fields = declared.map((name): [string, string] => [`user_${name}`, `Custom field ${name}`]);
  const rows = header.map((cell, n) => {
    const chosen = columns[n] ?? '';
    const own = fieldName(cell);
    const more: [string, string][] = own
      ? [
          [`user_${own}`, `Custom field ${own}`],
          [`action_${own}`, `Field of the import, ${own}`],
        ]
      : [];
    const all = new Map<string, string>([['', 'Leave it out'], ...ours, ...more, ...fields]);
    if (!all.has(chosen)) all.set(chosen, chosen);
    const examples = lines.map((line) => line[n]?.trim() ?? '').filter(Boolean);
    return html`<tr><th scope="row"><label for="column-${n}">${cell.trim().slice(0, 80) || `Column ${n + 1}`}</label><small class="examples">${examples.map((each) => each.slice(0, 40)).join(' · ')}</small></th>
<td><select id="column-${n}" name="column">${[...all].map(([value, word]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${word}</option>`)}</select></td></tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Columns of the file"><table><thead><tr><th scope="col">In the file</th><th scope="col">Is</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
