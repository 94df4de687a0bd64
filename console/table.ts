import { type Html, html } from './html.ts';

/** The head of a column of numbers. */
export const numbers = (word: string): Html => html`<th scope="col" class="n">${word}</th>`;

/** A table that scrolls by itself where it is too wide. */
export const table = (label: string, heads: (string | Html)[], rows: Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads.map((head) => (typeof head === 'string' ? html`<th scope="col">${head}</th>` : head))}</tr></thead><tbody>${rows}</tbody></table></div>`;
