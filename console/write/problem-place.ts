import type { Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { besideField, labelOf } from '../plain-words.ts';

const AROUND = 2;
const LONGEST = 160;

/** The lines around the one a message of the template language names, with that one marked; nothing where it names none. */
export function placeOf(message: string, source: string): Html | '' {
  const line = Number(/\bline (\d{1,7})\b/.exec(message)?.[1] ?? 0);
  const lines = source.split('\n');
  if (line < 1 || line > lines.length) return '';
  const first = Math.max(1, line - AROUND);
  const shown = lines.slice(first - 1, line + AROUND);
  const width = String(line + AROUND).length;
  return html`<pre class="excerpt" tabindex="0">${shown.map((text, index) => {
    const words = `${String(first + index).padStart(width)}  ${text.slice(0, LONGEST)}\n`;
    return first + index === line ? html`<mark>${words}</mark>` : words;
  })}</pre>`;
}

/** Everything that is wrong, each with the lines it is about. @param sources the texts of fields, by their names */
export const problemsPart = (problems: Problems, sources: Record<string, string>): Html =>
  html`${Object.entries(problems).flatMap(([field, messages]) => messages.map((each) => html`<p><b>${labelOf(field)}</b>: ${besideField(field, each)}</p>${placeOf(each, sources[field] ?? '')}`))}`;
