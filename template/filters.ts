// Long: a dictionary of filters, each a few lines.

import { plainLetters } from '../domain/plain-letters.ts';
import { dateOf, formatDate } from './dates.ts';
import { RenderError } from './errors.ts';
import { escapeHtml } from './output.ts';
import { slice } from './slice.ts';
import { costOf, costOfSearch, isNothing, isTrue, Markup, numberOf, textOf } from './values.ts';

/** What a filter may know of the expression it stands in. */
export interface Around {
  /** The output is HTML. */
  html: boolean;
  /** The value is markup already. */
  safe: boolean;
  /** The argument is written in the template, and so is markup. */
  argumentSafe: boolean;
  /** The expression before the filter, as it is written: for messages. */
  source: string;
}

export interface Filter {
  /** Whether an argument may, must or must not follow the colon. */
  argument: 'none' | 'optional' | 'required';
  /** What leaves it, in HTML: `markup` is not escaped again, `same` is markup where what entered was. Otherwise plain text. */
  gives?: 'markup' | 'same';
  apply(value: unknown, argument: unknown, around: Around): unknown;
  /** Steps it costs beside what value and argument are long. */
  costs?(value: unknown, argument: unknown): number;
}

const filter = (argument: Filter['argument'], apply: Filter['apply'], gives?: Filter['gives']): Filter =>
  gives ? { argument, apply, gives } : { argument, apply };
const onText = (apply: (text: string) => unknown, gives?: Filter['gives']) => filter('none', (value) => apply(textOf(value)), gives);

const whole = (value: unknown): number | null => {
  const number = numberOf(value);
  return number === null ? null : Math.trunc(number);
};
const listOf = (value: unknown): unknown[] | null => (Array.isArray(value) ? value : null);
const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : typeof value === 'string' ? [...value].length : 0);
const words = (text: string) => text.split(/\s+/).filter(Boolean);

/** Longest text `add` and `join` may build: doubling in nested blocks ends here. */
const LONGEST = 1_000_000;
function checkLength(length: number): void {
  if (length > LONGEST) throw new RenderError('a value grows too long');
}

/** Longest format, or text looked for: such arguments cost far more than their length. */
const LONGEST_SHORT = 1000;
function short(argument: unknown): string {
  const text = textOf(argument);
  if (text.length > LONGEST_SHORT) throw new RenderError(`what follows the colon is longer than ${LONGEST_SHORT} characters`);
  return text;
}

function add(first: unknown, second: unknown): unknown {
  const [value, more] = [first ?? '', second ?? ''];
  const [a, b] = [whole(value), whole(more)];
  if (a !== null && b !== null) return a + b;
  if (Array.isArray(value) && Array.isArray(more)) return [...value, ...more];
  if (typeof value !== 'string' || typeof more !== 'string') return '';
  checkLength(value.length + more.length);
  return value + more;
}

/** Arithmetic on numbers and on text that is one; with anything else the value stays as it is. */
const arithmetic = (work: (a: number, b: number) => number) =>
  filter('required', (value, other) => {
    const [a, b] = [numberOf(value), numberOf(other)];
    if (a === null || b === null) return value;
    // Twelve digits: 0.3 minus 0.1 is 0.2.
    const result = Number(work(a, b).toPrecision(12));
    return Number.isFinite(result) ? result : '';
  });

const UNIT_MS: Record<string, number> = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000 };

/** `days=3`, `weeks=-1, hours=2`, or a number of days. */
function dateAdd(value: unknown, amount: unknown): unknown {
  const date = dateOf(value);
  if (!date) return '';
  const parts = short(amount)
    .split(',')
    .map((part) => /^\s*(?:(weeks|days|hours|minutes)\s*=\s*)?([-+]?\d{1,6})\s*$/.exec(part));
  if (parts.some((part) => !part)) throw new RenderError('date_add takes weeks, days, hours and minutes, as in "days=3, hours=-2"');
  return new Date(date.getTime() + parts.reduce((sum, part) => sum + UNIT_MS[part![1] ?? 'days']! * Number(part![2]), 0));
}

/** Longest list `split` makes. */
const MOST_PARTS = 10_000;

function split(value: unknown, by: unknown): unknown {
  const [text, separator] = [textOf(value), short(by)];
  return text === '' ? [] : separator === '' ? [text] : text.split(separator, MOST_PARTS).map((part) => part.trim());
}

function cut(value: unknown, part: unknown): string {
  const [text, unwanted] = [textOf(value), short(part)];
  return unwanted === '' ? text : text.replaceAll(unwanted, '');
}

/** Whether a value is one of a list, or of a text's parts between commas. */
function isIn(value: unknown, list: unknown): boolean {
  const [members, wanted] = [Array.isArray(list) ? list : textOf(list).split(','), textOf(value).trim()];
  return members.some((member) => textOf(member).trim() === wanted);
}

function truncateLetters(value: unknown, limit: unknown): string {
  const [letters, most] = [[...textOf(value)], whole(limit)];
  return most === null || letters.length <= most ? letters.join('') : `${letters.slice(0, Math.max(0, most)).join('')}...`;
}

/** One decimal, none of a whole number; `2`: always two; `-2`: two, none of a whole number; `2g`: with thousands separated. */
function floatFormat(value: unknown, places: unknown): string {
  const number = numberOf(value);
  if (number === null) return '';
  const [, digits = '-1', grouped] = /^(-?\d{1,2})?(g?)$/.exec(textOf(places ?? '-1')) ?? [];
  const decimals = Math.min(Math.abs(Number(digits)), 20);
  const rounded = roundHalfUp(number, decimals);
  const shown = digits.startsWith('-') && Number.isInteger(number) ? roundHalfUp(number, 0) : rounded;
  return grouped ? withCommas(shown) : shown;
}

/** Rounds the decimal that is written, not the binary number behind it: 1.005 to two places is 1.01. */
function roundHalfUp(number: number, decimals: number): string {
  const [digits, exponent = '0'] = String(number).split('e');
  const shifted = Math.round(Math.abs(Number(`${digits}e${Number(exponent) + decimals}`)));
  if (!Number.isSafeInteger(shifted)) return number.toFixed(decimals);
  const text = String(shifted).padStart(decimals + 1, '0');
  const result = decimals ? `${text.slice(0, -decimals)}.${text.slice(-decimals)}` : text;
  return number < 0 && Number(result) !== 0 ? `-${result}` : result;
}

/** Of a number's length only: looking for the places takes quadratic time. */
const withCommas = (text: string) =>
  text.length > 100 ? text : text.replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));

/** Words begin after anything but letters and digits; not in don't, but in O'Neill. */
const titleCase = (text: string) =>
  text
    .toLowerCase()
    .replace(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase())
    .replace(/\p{Ll}['’]\p{Lu}/gu, (letters) => letters.toLowerCase());
function capFirst(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 32);
  return text === '' ? '' : first.toUpperCase() + text.slice(first.length);
}

function truncateChars(value: unknown, limit: unknown): string {
  const [text, most] = [textOf(value), whole(limit)];
  if (most === null || text.length <= most) return text;
  if (most <= 0) return '';
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

function truncateWords(value: unknown, limit: unknown): string {
  const [list, most] = [words(textOf(value)), whole(limit)];
  if (most === null || list.length <= most) return list.join(' ');
  return most <= 0 ? '' : `${list.slice(0, most).join(' ')} …`;
}

/** Markup of plain text, paragraphs at blank lines and breaks at the others; unchanged where the output is not HTML. */
function lineBreaks(value: unknown, _argument: unknown, around: Around): string {
  const text = textOf(value).replace(/\r\n?/g, '\n');
  if (!around.html) return text;
  const paragraphs = (around.safe ? text : escapeHtml(text)).split(/\n{2,}/);
  return paragraphs.map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`).join('\n\n');
}

function lineBreaksBr(value: unknown, _argument: unknown, around: Around): string {
  const text = textOf(value).replace(/\r\n?/g, '\n');
  return around.html ? (around.safe ? text : escapeHtml(text)).replaceAll('\n', '<br>') : text;
}

const escaped = (value: unknown, _argument: unknown, around: Around) =>
  around.html && !around.safe ? escapeHtml(textOf(value)) : textOf(value);

/** Marks, each with its percent encoding. */
const encoded = (marks: string) => [...marks].map((mark) => [mark, `%${mark.charCodeAt(0).toString(16).toUpperCase()}`] as const);

/** What JavaScript leaves, and Python encodes. */
const LEFT = encoded("!'()*");
/** What percent encoding takes and may be told to leave; the sign itself last, for those before it begin with it. */
const KEPT = encoded(' !"#$&\'()*+,/:;<=>?@[\\]^`{|}%');

/** Percent encoding, but for what follows the colon, a slash where nothing does. */
function urlEncode(value: unknown, keep: unknown): string {
  const named = isNothing(keep) ? '/' : textOf(keep);
  const all = LEFT.reduce((text, [mark, code]) => text.replaceAll(mark, code), encodeURIComponent(textOf(value).toWellFormed()));
  return KEPT.reduce((text, [mark, code]) => (named.includes(mark) ? text.replaceAll(code, mark) : text), all);
}

/** One choice is none to choose from: the value stays. */
function yesNo(value: unknown, choices: unknown): string {
  if (!isNothing(choices) && !textOf(choices).includes(',')) return textOf(value);
  const [yes = 'yes', no = 'no', maybe = no] = isNothing(choices) ? ['yes', 'no', 'maybe'] : textOf(choices).split(',');
  return isNothing(value) ? maybe : isTrue(value) ? yes : no;
}

function plural(value: unknown, endings: unknown): string {
  const [one, many] = isNothing(endings) ? ['', 's'] : textOf(endings).includes(',') ? textOf(endings).split(',') : ['', textOf(endings)];
  const count = Array.isArray(value) ? value.length : numberOf(value);
  return (count === null ? '' : count === 1 ? one : many) ?? '';
}

/** What stands for a value that is not there. Either may be markup: the value by the filters before, the other as part of the template. */
const otherwise = (is: (value: unknown) => boolean): Filter =>
  filter('required', (value, other, { html, safe, argumentSafe }) => {
    const [chosen, isMarkup] = is(value) ? [other, argumentSafe] : [value, safe];
    return html && isMarkup && typeof chosen === 'string' && escapeHtml(chosen) !== chosen ? new Markup(chosen) : chosen;
  });

function join(value: unknown, by: unknown, { html, safe, argumentSafe }: Around): string {
  const shown = (each: unknown, asItIs: boolean) => (html && !asItIs ? escapeHtml(textOf(each)) : textOf(each));
  const [parts, between] = [(listOf(value) ?? [value]).map((each) => shown(each, safe)), shown(by, argumentSafe)];
  // Looked at before there is such a text.
  checkLength(parts.reduce((length, part) => length + part.length, between.length * (parts.length - 1)));
  return parts.join(between);
}

const dated = (fallback: string): Filter => ({
  ...filter('optional', (value, format) => {
    const date = dateOf(value);
    return date ? formatDate(date, isNothing(format) ? fallback : short(format)) : '';
  }),
  // Each letter may stand for a whole date.
  costs: (_value, format) => (typeof format === 'string' ? format.length : 0),
});

/** @throws RenderError naming the value when it is absent or blank */
export function demand(value: unknown, source: string): unknown {
  if (isNothing(value) || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)) {
    throw new RenderError(`${source} is missing`);
  }
  return value;
}

const slug = (text: string) =>
  plainLetters(text)
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '-')
    .replace(/^[-_]+/, '')
    .replace(/(?<![-_])[-_]+$/, '');

/** Every filter there is, by Django's names; docs/templates.md shows each at work. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries({
    add: filter('required', add),
    capfirst: onText(capFirst, 'same'),
    commify: onText(withCommas),
    cut: { ...filter('required', cut, 'same'), costs: costOfSearch },
    date: dated('N j, Y'),
    date_add: filter('required', dateAdd),
    default: otherwise((value) => !isTrue(value)),
    default_if_none: otherwise(isNothing),
    divide: arithmetic((a, b) => a / b),
    divisibleby: filter('required', (value, by) => (whole(value) ?? Number.NaN) % (whole(by) ?? Number.NaN) === 0),
    escape: filter('none', escaped, 'markup'),
    first: filter('none', (value) => (listOf(value) ?? [...textOf(value)])[0] ?? ''),
    floatformat: filter('optional', floatFormat),
    force_escape: filter('none', (value, _argument, { html }) => (html ? escapeHtml(textOf(value)) : textOf(value)), 'markup'),
    intcomma: onText(withCommas),
    is_in: filter('required', isIn),
    join: filter('required', join, 'markup'),
    last: filter('none', (value) => (listOf(value) ?? [...textOf(value)]).at(-1) ?? '', 'same'),
    length: filter('none', lengthOf),
    linebreaks: filter('none', lineBreaks, 'markup'),
    linebreaksbr: filter('none', lineBreaksBr, 'markup'),
    lower: onText((text) => text.toLowerCase(), 'same'),
    multiply: arithmetic((a, b) => a * b),
    nth: filter('required', (value, place) => (listOf(value) ?? [...textOf(value)]).at(whole(place) ?? 0) ?? ''),
    percent_of: arithmetic((a, b) => (a / b) * 100),
    pluralize: filter('optional', plural),
    required: filter('none', (value, _argument, around) => demand(value, around.source), 'same'),
    safe: filter('none', (value) => value, 'markup'),
    slice: filter('required', slice, 'same'),
    // Letters are taken apart one by one, some into eighteen.
    slugify: { ...onText(slug, 'same'), costs: (value) => textOf(value).length >> 4 },
    split: { ...filter('required', split), costs: costOfSearch },
    // A sign before a blank or a number begins no tag: what people write would be lost.
    striptags: onText((text) => text.replace(/<[a-z/!?][^<>]*>/gi, ''), 'same'),
    subtract: arithmetic((a, b) => a - b),
    time: dated('P'),
    title: onText(titleCase, 'same'),
    truncatechars: filter('required', truncateChars, 'same'),
    truncateletters: filter('required', truncateLetters),
    truncatewords: filter('required', truncateWords, 'same'),
    upper: onText((text) => text.toUpperCase()),
    // Each mark that is named is looked for in all of it, which is up to nine times as long as the value by then.
    urlencode: {
      ...filter('optional', urlEncode),
      costs: (value, keep) => ((1 + costOf(value)) * Math.min(textOf(keep).length, KEPT.length)) >> 2,
    },
    wordcount: onText((text) => words(text).length),
    yesno: filter('optional', yesNo),
  } satisfies Record<string, Filter>),
);
