// How text gets into an output. A template is compiled for one kind of output: what it escapes and encodes is settled then, and the template's own
// text is made ready once.

/** What a rendering writes into. */
export interface Sink {
  /** How much is in it. */
  readonly length: number;
}

export interface Output<Into extends Sink = Sink> {
  /** Whether values are escaped for HTML, and filters such as linebreaks make markup. */
  readonly html: boolean;
  /** Makes the template's own text ready; what is returned writes it. */
  literal(text: string): (into: Into) => void;
  /** Writes a value: text from outside. */
  value(into: Into, text: string): void;
  /** Writes a value that is markup already (`|safe`). */
  markup(into: Into, text: string): void;
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' };
const SPECIAL = /[&<>"']/;
const SPECIALS = /[&<>"']/g;

export const escapeHtml = (text: string): string => (SPECIAL.test(text) ? text.replace(SPECIALS, (character) => ENTITY[character]!) : text);

/** Plain characters. */
export class TextSink implements Sink {
  text = '';
  get length(): number {
    return this.text.length;
  }
}

const append = (into: TextSink, text: string) => {
  into.text += text;
};
const literal = (text: string) => (into: TextSink) => append(into, text);

export const plainText: Output<TextSink> = { html: false, literal, value: append, markup: append };
export const htmlText: Output<TextSink> = { html: true, literal, value: (into, text) => append(into, escapeHtml(text)), markup: append };
