import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { RequestError } from '../../domain/errors.ts';

/** Those in which old pages and old libraries send forms. One and the same to browsers. */
const LATIN = /\bcharset="?(iso-8859-1|latin1|windows-1252)\b/i;
/** Fields that are named: more tell nobody more. */
const MOST_SAID = 10;

/** Each byte as a character: an escape stands for a byte, and only all of them together are a text. */
const asBytes = (text: string): string => text.replace(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));

/**
 * A form as an object: a repeated name is a list.
 * @param type the content type it was sent with. What is no UTF-8 is read in the charset named there; one that is UTF-8 all the same is what it is.
 * @throws RequestError for what is in no charset that is known: read as UTF-8, its letters with accents would be stored as question marks
 */
export function readFields(bytes: Buffer, type: string): Record<string, unknown> {
  const form = Object.entries(parse(bytes.toString('latin1'), undefined, undefined, { maxKeys: 0, decodeURIComponent: asBytes }));
  const wrong = form.filter(([name, value]) => ![name, value ?? ''].flat().every((text) => isUtf8(Buffer.from(text, 'latin1'))));
  if (wrong.length === 0) return decoded(form, 'utf-8');
  if (LATIN.test(type)) return decoded(form, 'windows-1252');
  throw new RequestError(Object.fromEntries(wrong.slice(0, MOST_SAID).map(([name]) => refusal(Buffer.from(name, 'latin1')))));
}

function decoded(form: [string, string | string[] | undefined][], charset: 'utf-8' | 'windows-1252'): Record<string, unknown> {
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  const text = (given: string) => decoder.decode(Buffer.from(given, 'latin1'));
  return Object.fromEntries(form.map(([name, value = '']) => [text(name), Array.isArray(value) ? value.map(text) : text(value)]));
}

/** The field, and what is wrong with it. */
function refusal(name: Buffer): [string, string] {
  const field = isUtf8(name) ? name.toString().slice(0, 100) : 'body';
  return [
    field,
    `${field === 'body' ? 'A name in this form' : field} is not UTF-8, and the content type names no other charset that is read here (iso-8859-1).`,
  ];
}
