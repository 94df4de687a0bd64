import { escapeHtml } from '../template/output.ts';

/** Markup: text in it is escaped already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** A template of a page. Every value is escaped but what is Html; lists are put one after another; null, undefined and false say nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, piece, index) => text + (index ? written(values[index - 1]) : '') + piece, ''));
}

function written(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(written).join('');
  return value === null || value === undefined || value === false ? '' : escapeHtml(String(value));
}
