import { raw, html as template } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup: text in it is escaped already. */
export type Html = HtmlEscapedString;

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** A template of a page. Every value is escaped but what is Html; lists are put one after another; null, undefined and false say nothing. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Html =>
  // A promise comes of promises alone.
  template(strings, ...values) as Html;

/** Markup written by hand, which nothing that somebody sent may be in. */
export const markup = (text: string): Html => raw(text);
