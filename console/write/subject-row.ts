import { invalid } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { besideField } from '../plain-words.ts';
import type { Draft } from './draft.ts';

/** What is wrong with the two fields of a row. */
type Wrong = Record<'subjects' | 'preview_text', readonly string[] | undefined>;

/** A subject and the preview text that stands behind it. @param n of the row, from 0; the first is required */
export const subjectRow = ({ text, preview }: Draft['subjects'][number], n: number, { subjects, preview_text: previews }: Wrong): Html =>
  html`<div class="field pair">${field(`subject-${n}`, `Subject ${n + 1}`, 'subject', text, inWordsOf('subjects', subjects), n === 0)}
${field(`preview-${n}`, 'Preview text', 'preview_text', preview, inWordsOf('preview_text', previews))}</div>`;

const inWordsOf = (name: string, messages: readonly string[] = []): string[] => messages.map((each) => besideField(name, each));

function field(id: string, label: string, name: string, value: string, wrong: readonly string[], required = false): Html {
  const described = wrong.length ? invalid(`${id}-hint`) : '';
  const said = wrong.map((each) => html`<strong class="wrong">${each}</strong> `);
  return html`<div><label for="${id}">${label}</label><input id="${id}" name="${name}" value="${value}"${required ? html` required` : ''}${described}>${wrong.length ? html`<p class="small" id="${id}-hint">${said}</p>` : ''}</div>`;
}
