import { readId } from '../api/resource/paths.ts';
import { type Choice, MOST_CHOICES } from '../core/mailings/choices.ts';
import { type Html, html } from './html.ts';
import { count } from './numbers.ts';
import { besideField } from './plain-words.ts';

// The fields of forms: a label, what is in it, a word of help, and what is wrong with it.

/** What was wrong with a form that was sent: messages by the field's name in the API. */
export type Problems = Readonly<Record<string, readonly string[]>>;

interface Field {
  name: string;
  label: string;
  /** A word of help. */
  hint?: Html | string;
  /** What the API calls it, where the form has another name for it. */
  field?: string;
}

/** Of a field in which something is wrong: what says so, and the focus where it is the first of them. @param hint id of what says so */
export const invalid = (hint: string): Html => html` aria-describedby="${hint}" aria-invalid="true" autofocus`;

/** The same of a group of fields, which has no field of its own to say it. */
export const invalidGroup = (hint: string): Html => html` aria-describedby="${hint}" tabindex="-1" autofocus`;

function around({ name, label, hint, field = name }: Field, problems: Problems, input: (described: Html | '') => Html): Html {
  const wrong = (problems[field] ?? []).map((message) => besideField(field, message));
  const described = wrong.length ? invalid(`${name}-hint`) : hint ? html` aria-describedby="${name}-hint"` : '';
  return html`<div class="field"><label for="${name}">${label}</label>${input(described)}${
    wrong.length || hint
      ? html`<p class="small" id="${name}-hint">${wrong.map((each) => html`<strong class="wrong">${each}</strong> `)}${hint}</p>`
      : ''
  }</div>`;
}

/** One line of text. */
export const line = (field: Field & { value: string; type?: string; required?: boolean }, problems: Problems): Html =>
  around(
    field,
    problems,
    (described) =>
      html`<input id="${field.name}" name="${field.name}" type="${field.type ?? 'text'}" value="${field.value}"${field.required ? html` required` : ''}${described}>`,
  );

/** Many lines of text. @param field.code a language stands in it @param field.editor it is that of templates, in HTML or in plain text: the script of the page makes an editor of it */
export const area = (field: Field & { value: string; rows: number; code?: boolean; editor?: 'html' | 'text' }, problems: Problems): Html =>
  around(
    field,
    problems,
    (described) =>
      // A browser takes away the first line end of a textarea.
      html`<textarea id="${field.name}" name="${field.name}" rows="${field.rows}"${field.code ? html` class="code" spellcheck="false"` : ''}${field.editor ? html` data-editor="${field.editor}"` : ''}${described}>
${field.value}</textarea>${field.editor ? editorWords(field.name) : ''}`,
  );

/** What is said of an editor: how it is left, what was found. */
const editorWords = (name: string): Html =>
  html`<p class="small keys" id="${name}-keys">Tab indents; Escape, then Tab, leaves. F8 goes to the next problem.</p><p class="small wrong found" id="${name}-found" role="status"></p>`;

/** Said of a choice where there may be more than it offers. */
export const mostOffered = (choices: readonly Choice[]): string =>
  choices.length >= MOST_CHOICES ? `No more than ${count(MOST_CHOICES)} are offered here; the API takes any.` : '';

/** One of some, or none. */
export const choice = (field: Field & { value: string; none: string; choices: readonly Choice[] }, problems: Problems): Html =>
  around(
    { ...field, hint: field.hint ?? mostOffered(field.choices) },
    problems,
    (described) =>
      html`<select id="${field.name}" name="${field.name}"${described}><option value="">${field.none}</option>${field.choices.map(
        ({ id, name }) => html`<option value="${id}"${String(id) === field.value ? html` selected` : ''}>${name}</option>`,
      )}</select>`,
  );

/** Any number of some, as boxes to tick in a list that scrolls. */
export function choices(
  { name, label, values, choices: all }: { name: string; label: string; values: readonly number[]; choices: readonly Choice[] },
  problems: Problems,
): Html {
  if (all.length === 0) return html``;
  const wrong = (problems[name] ?? []).map((message) => besideField(name, message));
  return html`<fieldset class="field"${wrong.length ? invalidGroup(`${name}-hint`) : ''}><legend>${label}</legend>${
    wrong.length ? html`<p class="small" id="${name}-hint">${wrong.map((each) => html`<strong class="wrong">${each}</strong> `)}</p>` : ''
  }<div class="boxes">${all.map(
    ({ id, name: word }) =>
      html`<label><input type="checkbox" name="${name}" value="${id}"${values.includes(id) ? html` checked` : ''}> ${word || `No. ${id}`}</label>`,
  )}</div></fieldset>`;
}

/** A form's fields, as the browser sent them. */
export type Sent = Record<string, unknown>;

/** The text of a field; empty where it was not sent. Line ends as everywhere else, not as browsers send them. */
export const textOf = (sent: Sent, name: string): string => {
  const value = sent[name];
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
};

/** All values of a field that may be sent several times. */
export const textsOf = (sent: Sent, name: string): string[] => {
  const value = sent[name];
  return (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string');
};

/** The ids of a field of boxes. */
export const idsOf = (sent: Sent, name: string): number[] =>
  textsOf(sent, name)
    .filter((each) => readId(each) !== null)
    .map(Number);

/** Members of a text in which commas, semicolons or lines part them. */
export const membersOf = (text: string, parting = /[\n,;]+/): string[] =>
  text
    .split(parting)
    .map((each) => each.trim())
    .filter(Boolean);
