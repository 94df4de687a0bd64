import { counted } from '../counted.ts';
import { InputError } from '../errors.ts';
import { MAX_INT } from '../values.ts';
import type { PhoneType } from '../words.ts';
import { notPostal } from './address.ts';
import { heldBy, LONGEST_VALUE, NO_FIELD, tooMuch } from './field-room.ts';
import { splitName } from './full-name.ts';
import { NAME_AND_ADDRESS } from './person-columns.ts';
import { PHONES_BY_TYPE, phoneSaid, phonesGiven, readPhoneType, type TypedPhone } from './phone-number.ts';

// How the lines of an upload are read. Pure: cells in, a person and fields out, or what is wrong.

/** Columns of a person that a file may fill. */
export const IMPORT_COLUMNS = [...NAME_AND_ADDRESS, 'source'] as const;
export type ImportColumn = (typeof IMPORT_COLUMNS)[number];

/** Columns of their phones, as a form of a page calls them. */
export const PHONE_COLUMNS = ['phone', 'phone_type', ...PHONES_BY_TYPE.map(({ name }) => name)];

/** A name in one text, for lines that give neither its first nor its last by itself. */
export const FULL_NAME = 'name';

/** The column that names a person by their id, beside their address or instead of it. No custom field `id` can be imported. */
export const BY_ID = 'user_id';

/** The column that names them by an akid. Lines have the id in its place before they are read. */
export const BY_AKID = 'akid';

/** Whom an akid names; null for what is none of ours. */
export type PersonOf = (akid: string) => number | null;

export interface ImportedLine {
  line: number;
  /** Whom the line is about by their id, or by an akid; null where it gives an address alone. */
  userId: number | null;
  /** Empty where an id alone is given. */
  email: string;
  /** Given and not empty: an empty cell blanks nobody's data. */
  person: Partial<Record<ImportColumn, string>>;
  phones: TypedPhone[];
  userFields: Record<string, string>;
  actionFields: Record<string, string>;
}

/** The columns that say whom a line is about. */
const NAMING = ['email', BY_ID, BY_AKID];
/** Said of a file that has none of them. */
export const NO_NAMING = `The first line must name the columns, and one of them must be email, ${BY_ID} or ${BY_AKID}.`;

const LONGEST = 255;
const MOST_COLUMNS = 200;

/** Names of the custom user fields a header asks for. */
export const userFieldsOf = (columns: string[]): string[] =>
  columns.flatMap((column) => (column.startsWith('user_') && column !== BY_ID ? [column.slice('user_'.length)] : []));

/** @throws InputError for a line that names more columns than an import has */
export function refuseTooMany(header: string[]): void {
  if (header.length > MOST_COLUMNS) throw new InputError({ file: `The file has more than ${MOST_COLUMNS} columns.` });
}

/**
 * The columns of a header line, trimmed and without regard to case (custom field names keep theirs).
 * @throws InputError naming what cannot be used
 */
export function readHeader(cells: string[]): string[] {
  refuseTooMany(cells);
  const columns = cells.map((cell) => {
    const name = cell.trim();
    if (name.toLowerCase() === BY_ID) return BY_ID;
    const [, prefix, field] = /^(user|action)_(.*)$/is.exec(name) ?? [];
    // No custom field has a name with blanks around it: whoever sends a person back as they were read would be refused.
    return prefix === undefined ? name.toLowerCase() : `${prefix.toLowerCase()}_${field!.trim()}`;
  });
  const isField = (name: string) => /^(user|action)_./.test(name) && name.slice(name.indexOf('_') + 1) !== NO_FIELD;
  const ours = ['email', BY_AKID, FULL_NAME, ...IMPORT_COLUMNS, ...PHONE_COLUMNS];
  const wrong = columns.filter((name) => !ours.includes(name) && !isField(name));
  const seen = new Set<string>();
  const twice = columns.filter((name) => seen.size === seen.add(name).size);
  if (!NAMING.some((name) => columns.includes(name))) throw new InputError({ file: NO_NAMING });
  if (wrong.length > 0)
    throw new InputError({ file: `The file has columns that mean nothing here: ${wrong.slice(0, 10).join(', ').slice(0, 200)}.` });
  if (twice.length > 0) throw new InputError({ file: `The file has a column twice: ${twice[0]?.slice(0, 100)}.` });
  if (columns.some((name) => name.length > LONGEST)) throw new InputError({ file: 'The file has a column with too long a name.' });
  return columns;
}

/**
 * Columns as somebody chose them for the cells of a file's first line; an empty one is left out.
 * @throws InputError naming what cannot be used
 */
export function readChosen(chosen: string[]): string[] {
  const columns = readHeader(chosen.filter((name) => name.trim() !== ''));
  return chosen.map((name) => (name.trim() === '' ? '' : columns.shift()!));
}

export type AddressOf = (text: string) => string | null;

/** The cells of a line, with the id of whom its akid names in place of that; 0, which is nobody's, for what is none of ours. */
export function withIds(columns: string[], cells: string[], personOf: PersonOf): string[] {
  const at = columns.indexOf(BY_AKID);
  const akid = cells[at]?.trim();
  return akid ? cells.with(at, String(personOf(akid) ?? 0)) : cells;
}

/**
 * One line below the header.
 * @param addressOf the address that a text is kept as; null where it cannot be mailed
 * @returns the line, or what is wrong with it, without saying what stands in it
 */
export function readLine(columns: string[], cells: string[], line: number, addressOf: AddressOf): ImportedLine | string {
  if (cells.length !== columns.length)
    return `The line has ${counted(cells.length, 'cell', 'cells')} where the header has ${columns.length}.`;
  const read: ImportedLine = { line, userId: null, email: '', person: {}, phones: [], userFields: {}, actionFields: {} };
  const numbers: Record<string, string> = {};
  let fullName = '';
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]!.trim();
    if (cell === '' || column === '') continue;
    if (cell.length > LONGEST_VALUE) return `${column} must have at most ${LONGEST_VALUE} characters.`;
    if (column === BY_ID || column === BY_AKID) {
      const id = readId(cell);
      if (id === null) return column === BY_ID ? `${BY_ID} is not the id of a user.` : `${BY_AKID} is none of ours.`;
      if (read.userId !== null && read.userId !== id) return `${BY_ID} and ${BY_AKID} name two people.`;
      read.userId = id;
    } else if (column.startsWith('user_')) read.userFields[column.slice('user_'.length)] = cell;
    else if (column.startsWith('action_')) read.actionFields[column.slice('action_'.length)] = cell;
    else if (PHONE_COLUMNS.includes(column)) numbers[column] = cell;
    else if (cell.length > LONGEST) return `${column} must have at most ${LONGEST} characters.`;
    else if (column === 'email') read.email = cell;
    else if (column === FULL_NAME) fullName = cell;
    else read.person[column as ImportColumn] = cell;
  }
  if (read.email === '' && read.userId === null) return `${NAMING.filter((name) => columns.includes(name)).join(' or ')} is missing.`;
  const email = read.email === '' ? '' : addressOf(read.email);
  if (email === null) return 'email is not an email address.';
  read.email = email;
  if (fullName !== '' && !read.person.first_name && !read.person.last_name)
    for (const [part, text] of Object.entries(splitName(fullName))) if (text !== '') read.person[part as ImportColumn] = text;
  for (const fields of [read.userFields, read.actionFields]) {
    const wrong = tooMuch(heldOfLine(fields), NOTHING, NOTHING);
    if (wrong !== null) return `A line has ${wrong}.`;
  }
  const wrong = readNumbers(numbers, read);
  if (wrong !== null) return wrong;
  const code = notPostal(read.person);
  return code ? `${code} is not a zip code of the United States.` : read;
}

/** Puts the numbers of a line into it. @returns what is wrong with one of them */
function readNumbers(cells: Record<string, string>, line: ImportedLine): string | null {
  let wrong: string | null = null;
  const read = <Value>(name: string, how: (text: string) => Value, absent: Value): Value => {
    try {
      return cells[name] === undefined ? absent : how(cells[name]);
    } catch (error) {
      wrong ??= `${name} ${(error as Error).message}.`;
      return absent;
    }
  };
  const type = read<PhoneType>('phone_type', readPhoneType, 'home');
  line.phones = phonesGiven((name) => read(name, phoneSaid, ''), type);
  return wrong;
}

/** Null for what is the id of nobody. */
const readId = (cell: string): number | null =>
  /^\d{1,10}$/.test(cell) && Number(cell) > 0 && Number(cell) <= MAX_INT ? Number(cell) : null;

const NOTHING = { values: 0, bytes: 0 };

/** What the fields of a line hold: one value each. */
const heldOfLine = (fields: Record<string, string>) => heldBy(Object.entries(fields).map(([name, value]) => [name, [value]]));
