import { RequestError } from './errors.ts';

// Values as clients send them, checked and turned into what is stored. Each reader throws an Error whose message follows the field's name.

export const MAX_INT = 2_147_483_647;
const MIN_INT = -2_147_483_648;
const MAX_DEPTH = 64;

/** @throws Error */
export function readInteger(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,30}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new Error('must be a whole number');
  if (number < MIN_INT || number > MAX_INT) throw new Error('is out of range');
  return number;
}

/** @throws Error */
export function readNumber(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,30}(\.\d{1,30})?$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new Error('must be a number');
  return number;
}

/** A decimal number as text: a number of JSON has gone through a float already. @throws Error */
export function readDecimal(value: unknown): string {
  if (typeof value !== 'string') throw new Error('must be a decimal as a string, like "10.00"');
  if (!/^\d{1,12}(\.\d{1,10})?$/.test(value)) throw new Error('must be a decimal like 10.00');
  return value;
}

/** @throws Error */
export function readText(value: unknown): string {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value;
  if (typeof text !== 'string') throw new Error('must be a string');
  if (text.includes('\0')) throw new Error('must not hold a NUL character');
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Characters of a text that stands in an index, which takes no longer ones. */
export const SHORT = 255;

/** A text without the blanks around it. @throws Error */
export function readShortText(value: unknown, longest = SHORT): string {
  const text = readText(value).trim();
  if (text.length > longest) throw new Error(`must have at most ${longest} characters`);
  return text;
}

/** Forms know no booleans, and neither do many clients: what a checkbox or a 1 may mean. @throws Error */
export function readBoolean(value: unknown): boolean {
  const word = typeof value === 'object' ? '' : String(value).trim();
  if (/^(1|true|on)$/i.test(word)) return true;
  if (/^(0|false|off)$/i.test(word)) return false;
  throw new Error('must be true or false');
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATETIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * A timestamp: ISO 8601, with fractions and an offset or without, which is UTC then.
 * @returns ISO 8601 in UTC with microseconds, as PostgreSQL stores it
 * @throws Error
 */
export function readTimestamp(value: unknown): string {
  const parts = typeof value === 'string' ? DATETIME.exec(value.trim()) : null;
  if (!parts) throw new Error('must be a timestamp like 2030-12-31T23:59:59');
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zoneOf(zone)}`);
  if (Number.isNaN(time) || Number(hour) > 23 || !isDay(Number(year), Number(month), Number(day))) throw new Error('is no such time');
  const moment = new Date(time).toISOString();
  if (!/^\d{4}-/.test(moment) || moment < '0001') throw new Error('is out of range');
  return `${moment.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** A day as YYYY-MM-DD. @throws Error */
export function readDate(value: unknown): string {
  const parts = typeof value === 'string' ? DATE.exec(value.trim()) : null;
  if (!parts) throw new Error('must be a day like 2030-12-31');
  if (!isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) throw new Error('is no such day');
  return parts[0];
}

function zoneOf(zone: string): string {
  if (/^z$/i.test(zone)) return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** An empty list: PHP knows one kind of array, and writes an object in which nothing is as one. */
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** An object, all of it storable as jsonb. @throws Error */
export function readDict(value: unknown): Record<string, unknown> {
  if (isEmptyList(value)) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must be an object');
  checkStorable(value, 0);
  return value as Record<string, unknown>;
}

/** A list, all of it storable as jsonb. @throws Error */
export function readList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('must be a list');
  checkStorable(value, 0);
  return value;
}

/** How a value of each kind is read, wherever it stands. */
export const READERS = {
  integer: readInteger,
  number: readNumber,
  decimal: readDecimal,
  string: readText,
  boolean: readBoolean,
  datetime: readTimestamp,
  date: readDate,
  dict: readDict,
  list: readList,
};

function checkStorable(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error('is nested too deeply');
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new Error('must not hold a NUL character or half a surrogate pair');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('holds a number out of range');
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) checkStorable(member, depth + 1);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    checkStorable(key, depth);
    checkStorable(member, depth + 1);
  }
}

/** @returns what is wrong with a text that ends up in the head of a mail, or nothing */
export const notOneLine = (text: string): string | undefined =>
  /\p{Cc}/u.test(text) ? 'must be one line without control characters' : undefined;

/** Named values, without those that null takes away. */
export const withoutNulls = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** The body as an object. @throws RequestError when it is something else */
export function readBody(body: unknown): Record<string, unknown> {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new RequestError({ body: 'The body must be a JSON object.' });
  return body as Record<string, unknown>;
}
