import { type Html, html } from './html.ts';

/** Characters of a subject that are shown: of a longer one nobody sees more in an inbox, and lists have many of them. */
const LONGEST_SUBJECT = 1000;

/** A subject as its template has it, with what differs from person to person as a slot named after the value. */
export function templated(subject: string): Html {
  const source = subject.length > LONGEST_SUBJECT ? `${subject.slice(0, LONGEST_SUBJECT)}…` : subject;
  const parts: (Html | string)[] = [];
  const last: Record<string, number> = { '{{': source.lastIndexOf('}}'), '{%': source.lastIndexOf('%}') };
  let done = 0;
  for (const { index, 0: opening } of source.matchAll(/\{[{%]/g)) {
    // Not looked for where none comes: in a comment thousands may be open, and each would be looked after to the end.
    if (index < done || index + 2 > last[opening]!) continue;
    const end = source.indexOf(opening === '{{' ? '}}' : '%}', index + 2) + 2;
    const slot = source.slice(index, end);
    parts.push(source.slice(done, index), html`<span class="slot" title="${slot}">${nameOf(slot)}</span>`);
    done = end;
  }
  return html`${[...parts, source.slice(done)]}`;
}

const nameOf = (slot: string): string =>
  slot
    .slice(2, -2)
    .replace(/\|.*$/, '')
    .trim()
    .replace(/^user\./, '')
    .replaceAll('_', ' ');
