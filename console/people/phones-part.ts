import type { PersonPhone } from '../../core/people/phones.ts';
import { PHONE_TYPES } from '../../domain/words.ts';
import { invalid, type Problems, type Sent, textsOf } from '../fields.ts';
import { type Html, html } from '../html.ts';

/** A phone as the form of a person has it; without an id it is a new one. */
export type PhoneRow = Record<'id' | 'phone' | 'type', string>;

export const phoneRows = (phones: readonly PersonPhone[]): PhoneRow[] =>
  phones.map(({ id, phone, type }) => ({ id: String(id), phone, type }));

/** The rows that are written in; null where the form has none of phones. */
export function phonesSent(sent: Sent): PhoneRow[] | null {
  if (sent['phone'] === undefined) return null;
  const [ids, types] = [textsOf(sent, 'phone_id'), textsOf(sent, 'phone_type')];
  return textsOf(sent, 'phone')
    .map((phone, n) => ({ id: ids[n] ?? '', phone: phone.trim(), type: types[n] ?? '' }))
    .filter(({ phone }) => phone);
}

/** What somebody else has taken away meanwhile is a new one when it is saved. */
export const withoutGone = (rows: readonly PhoneRow[], stored: readonly PhoneRow[]): PhoneRow[] =>
  rows.map((row) => (stored.some(({ id }) => id === row.id) ? row : { ...row, id: '' }));

export const samePhones = (rows: readonly PhoneRow[], others: readonly PhoneRow[]): boolean =>
  phoneWords(rows, true) === phoneWords(others, true);

/** As a person's `phones` are written over the API: all that are to stay, and the new ones. */
export const phonesWritten = (rows: readonly PhoneRow[]): object[] =>
  rows.map(({ id, phone, type }) => ({ ...(id && { id: /^\d{1,10}$/.test(id) ? Number(id) : id }), phone, type }));

export const phoneWords = (rows: readonly PhoneRow[], ids = false): string =>
  rows.map(({ id, phone, type }) => `${ids ? `${id} ` : ''}${phone} (${wordOf(type)})`).join(', ');

const wordOf = (type: string): string => type.replaceAll('_', ' ');

/** What is wrong with each row, and with all of them. The API counts them from 0. */
function wrongIn(messages: readonly string[]): { all: string[]; rows: Map<number, string> } {
  const found = messages.map((message) => /^phones\[(\d+)\] (.*)$/s.exec(message) ?? message);
  return {
    all: found.filter((each) => typeof each === 'string'),
    rows: new Map(found.flatMap((each) => (typeof each === 'string' ? [] : [[Number(each[1]), `It ${each[2]}`]]))),
  };
}

/** The phones there are, and room for another one. */
export function phonesPart(rows: readonly PhoneRow[], problems: Problems): Html {
  const { all, rows: wrong } = wrongIn(problems['phones'] ?? []);
  const room = [...rows, { id: '', phone: '', type: PHONE_TYPES[0] }];
  return html`<section class="card" aria-labelledby="phones"><h2 id="phones">Phones</h2><p class="small">Empty: it is taken away.</p>
${all.map((each) => html`<p class="small"><strong class="wrong">${each}</strong></p>`)}
${room.map((row, n) => phoneRow(row, n, n === rows.length, wrong.get(n)))}</section>`;
}

function phoneRow({ id, phone, type }: PhoneRow, n: number, last: boolean, wrong: string | undefined): Html {
  const word = last ? 'Another phone' : `Phone ${n + 1}`;
  const described = wrong === undefined ? '' : invalid(`phone-${n}-hint`);
  const kinds = PHONE_TYPES.map((each) => html`<option value="${each}"${each === type ? html` selected` : ''}>${wordOf(each)}</option>`);
  return html`<div class="field pair"><div><label for="phone-${n}">${word}</label><input type="hidden" name="phone_id" value="${id}">
<input id="phone-${n}" name="phone" type="tel" value="${phone}" autocomplete="off"${described}>
${wrong === undefined ? '' : html`<p class="small" id="phone-${n}-hint"><strong class="wrong">${wrong}</strong></p>`}</div>
<div><label for="phone-type-${n}">${word}: its kind</label><select id="phone-type-${n}" name="phone_type">${kinds}</select></div></div>`;
}
