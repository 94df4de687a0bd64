import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { RequestError } from '../../domain/errors.ts';

/** Those in which old pages and old libraries send forms. One and the same to browsers. */
const LATIN = /\bcharset="?(iso-8859-1|latin1|windows-1252)\b/i;
/** The same in every charset. */
const PLAIN = /^\p{ASCII}*$/u;
/** Fields that are named: more tell nobody more. */
const MOST_SAID = 10;

const [PLUS, SPACE, PERCENT] = [0x2b, 0x20, 0x25];
/** What a digit of an escape stands for, by its character. */
const DIGITS = new Map([...'0123456789abcdefABCDEF'].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]));

/** Each byte as a character: an escape stands for a byte, and only all of them together are a text. By hand: a form may be nothing but escapes. */
function asBytes(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    const high = sign === PERCENT ? DIGITS.get(text.charCodeAt(at + 1)) : undefined;
    const low = high === undefined ? undefined : DIGITS.get(text.charCodeAt(at + 2));
    bytes[length++] = low === undefined ? sign : high! * 16 + low;
    if (low !== undefined) at += 2;
  }
  return bytes.toString('latin1', 0, length);
}

/** Blanks where a form writes plus signs: the reader of forms puts a text together anew at each of them. */
function withBlanks(bytes: Buffer): Buffer {
  if (!bytes.includes(PLUS)) return bytes;
  const spaced = Buffer.from(bytes);
  for (let at = 0; at < spaced.length; at++) if (spaced[at] === PLUS) spaced[at] = SPACE;
  return spaced;
}

/**
 * A form as an object: a repeated name is a list.
 * @param type the content type it was sent with. What is no UTF-8 is read in the charset named there; one that is UTF-8 all the same is what it is.
 * @throws RequestError for what is in no charset that is known: read as UTF-8, its letters with accents would be stored as question marks
 */
export function readFields(bytes: Buffer, type: string): Record<string, unknown> {
  const form = Object.entries(
    parse(withBlanks(bytes).toString('latin1'), undefined, undefined, { maxKeys: 0, decodeURIComponent: asBytes }),
  );
  const wrong = form.filter(
    ([name, value]) => ![name, value ?? ''].flat().every((text) => PLAIN.test(text) || isUtf8(Buffer.from(text, 'latin1'))),
  );
  if (wrong.length === 0) return decoded(form, 'utf-8');
  if (LATIN.test(type)) return decoded(form, 'windows-1252');
  throw new RequestError(Object.fromEntries(wrong.slice(0, MOST_SAID).map(([name]) => refusal(Buffer.from(name, 'latin1')))));
}

function decoded(form: [string, string | string[] | undefined][], charset: 'utf-8' | 'windows-1252'): Record<string, unknown> {
  const decoder = new TextDecoder(charset, { ignoreBOM: true });
  const text = (given: string) => (PLAIN.test(given) ? given : decoder.decode(Buffer.from(given, 'latin1')));
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
