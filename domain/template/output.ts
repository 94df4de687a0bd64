/** How text gets into an output. The three differ where an output escapes or encodes; `literal` runs once, when the template is compiled. */
export interface Output {
  /** Whether values are escaped for HTML, and filters such as linebreaks make markup. */
  readonly html: boolean;
  /** The template's own text. */
  literal(text: string): string;
  /** A value: text from outside. */
  value(text: string): string;
  /** A value that is markup already (`|safe`). */
  markup(text: string): string;
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' };
const SPECIAL = /[&<>"']/;
const SPECIALS = /[&<>"']/g;

export const escapeHtml = (text: string): string => (SPECIAL.test(text) ? text.replace(SPECIALS, (character) => ENTITY[character]!) : text);

const same = (text: string) => text;

export const plainText: Output = { html: false, literal: same, value: same, markup: same };
export const htmlText: Output = { html: true, literal: same, value: escapeHtml, markup: same };
