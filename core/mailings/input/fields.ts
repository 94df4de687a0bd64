import type { FieldKind } from '../../../domain/mailing-status.ts';
import { MAX_INT, readBoolean, readInteger, readNumber, readTimestamp } from '../../../domain/values.ts';
import { SORT_ORDERS } from '../../../domain/words.ts';
import { readMailbox } from '../../../mail/address.ts';
import { missingIds, type ReferenceContext, readReference } from '../../references.ts';
import { type InputContext, readLine, readList, readString, readStrings, several } from './context.ts';
import { LONGEST_LINE, readFromLine, readFromLineShape } from './fromline.ts';
import { readNamedUsers, resolveUsers } from './users.ts';

/** How one field of a mailing is taken. */
export interface InputField {
  /** What it is part of: decides in which status it may change. */
  kind: FieldKind;
  /** Column of core_mailing; null for what is kept elsewhere. */
  column: string | null;
  /**
   * @param stored the people named there already, where the field names people
   * @returns the value to store. @throws Error whose message follows the field's name; PermissionError
   */
  read(value: unknown, context: InputContext, stored?: readonly number[]): unknown;
  /** What can be told of the value before anything is looked up. @throws Error whose message follows the field's name */
  shape(value: unknown, context: ReferenceContext): unknown;
}

type Read = InputField['read'];
type Shape = InputField['shape'];
/** @param shape of a value that is looked up; others are read whole before anything is */
const field = (kind: FieldKind, column: string | null, read: Read, shape: Shape = read as Shape): InputField => ({
  kind,
  column,
  read,
  shape,
});

/** Empty text, for null as well: to a client they are the same. */
const orEmpty =
  (read: (value: unknown) => string): Read =>
  (value) =>
    value === null ? '' : read(value);
const orNull =
  <Context>(read: (value: unknown, context: Context) => unknown) =>
  (value: unknown, context: Context): unknown =>
    value === null || value === '' ? null : read(value, context);

const reference = (kind: FieldKind, column: string, to: string, rules: { uriOnly?: boolean } = {}): InputField => {
  const shape = (value: unknown, context: ReferenceContext) => readReference(context, to, value, rules);
  const read: Read = async (value, context) => {
    const id = shape(value, context);
    if ((await missingIds(context.sql, context.registry, to, [id])).length) throw new Error(`refers to nothing: there is no ${to} ${id}`);
    return id;
  };
  return field(kind, column, orNull(read), orNull(shape));
};

/** Longest note, and all custom fields together: as that of any other resource, of whose pages a hundred are read at once. */
export const LONGEST_NOTE = 100_000;
const atMost = (text: string, characters: number): string => {
  if (text.length > characters) throw new Error(`must have at most ${characters} characters`);
  return text;
};

const mailbox = (name: string): Read =>
  orEmpty((value) => {
    const line = atMost(readLine(value).trim(), LONGEST_LINE);
    if (line) readMailbox(line, name);
    return line;
  });

const count =
  (least: number, most = MAX_INT): Read =>
  (value) => {
    const number = readInteger(value);
    if (number < least || number > most) throw new Error(`must be ${most === MAX_INT ? `at least ${least}` : `from ${least} to ${most}`}`);
    return number;
  };

/** Every field of a mailing that can be written, but for includes and excludes. */
export const INPUT_FIELDS: Record<string, InputField> = {
  subjects: field('content', null, (value) => readSubjects(value)),
  preview_text: field('content', null, (value) => (value === null ? [] : readStrings(readList(value, 1000), readLine))),
  html: field('content', 'html', orEmpty(readString)),
  text: field('content', 'text', orEmpty(readString)),
  fromline: field('content', 'fromline_id', orNull(readFromLine), orNull(readFromLineShape)),
  custom_fromline: field('content', 'custom_fromline', mailbox('custom_fromline')),
  reply_to: field('content', 'reply_to', mailbox('reply_to')),
  emailwrapper: reference('content', 'emailwrapper_id', 'emailwrapper'),
  lang: reference('content', 'lang_id', 'language'),
  landing_page: reference('content', 'landing_page_id', 'page'),
  fields: field('content', 'fields', readFields),
  rebuild_query_at_send: field('schedule', 'rebuild_query_at_send', readBoolean),
  scheduled_for: field(
    'schedule',
    'scheduled_for',
    orNull((value) => new Date(readTimestamp(value))),
  ),
  scheduled_by: reference('schedule', 'scheduled_by_id', 'authuser', { uriOnly: true }),
  limit: field('targeting', 'limit', orNull(count(1))),
  sort_by: field('targeting', 'sort_by', orNull(readSortOrder)),
  mails_per_second: field('targeting', 'mails_per_second', orNull(readRate)),
  target_group_from_landing_page: field('targeting', 'target_group_from_landing_page', readBoolean),
  target_mergefile: field('targeting', 'target_mergefile', readBoolean),
  mergefile: reference('content', 'mergefile_id', 'mergefile'),
  track_opens: field('content', 'track_opens', readBoolean),
  track_clicks: field('content', 'track_clicks', readBoolean),
  web_viewable: field('note', 'web_viewable', readBoolean),
  notes: field(
    'note',
    'notes',
    orEmpty((value) => atMost(readString(value), LONGEST_NOTE)),
  ),
  tags: field('note', null, readTags, readNamedTags),
  reviewers: field('note', null, readReviewers, readReviewerIds),
  proof_users: field(
    'note',
    'proof_users',
    (value, context, stored) => (value === null ? [] : resolveUsers(value, context, stored)),
    (value, context) => (value === null ? [] : readNamedUsers(value, context)),
  ),
  requested_proofs: field('note', 'requested_proofs', count(0, 100)),
  submitter: reference('note', 'submitter_id', 'authuser', { uriOnly: true }),
};

function readSubjects(value: unknown): string[] {
  const subjects = readStrings(readList(value, 1000), readLine);
  if (subjects.some((subject) => !subject.trim())) throw new Error('must not hold a blank subject');
  return subjects;
}

function readSortOrder(value: unknown): string {
  if (!SORT_ORDERS.includes(value as never)) throw new Error(`must be one of ${SORT_ORDERS.join(', ')}`);
  return value as string;
}

function readRate(value: unknown): number {
  const rate = readNumber(value);
  if (rate <= 0) throw new Error('must be above zero');
  if (rate > 1_000_000) throw new Error('must not be above 1000000');
  return rate;
}

const MOST_FIELDS = 1000;

/** `{name, value}`, `{key, value}`, pairs, or one object, as a list of `{name, value}`; of a name given twice the last value counts. */
function readFields(value: unknown): { name: string; value: string }[] {
  if (value === null) return [];
  const given = Array.isArray(value) ? readList(value, MOST_FIELDS).map(readPair) : Object.entries(readObject(value));
  if (given.length > MOST_FIELDS) throw new Error(`must not have more than ${MOST_FIELDS} members`);
  const fields = new Map<string, string>();
  for (const [name, text] of given) {
    const key = readLine(name).trim();
    if (!key || key.length > 255) throw new Error('must have names of 1 to 255 characters');
    fields.set(key, readFieldValue(text));
  }
  const read = [...fields].map(([name, text]) => ({ name, value: text }));
  if (read.reduce((sum, { name, value: text }) => sum + name.length + text.length, 0) > LONGEST_NOTE)
    throw new Error(`must have at most ${LONGEST_NOTE} characters together`);
  return read;
}

function readObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('must be a list of {name, value} or one object');
  return value as Record<string, unknown>;
}

function readPair(member: unknown): [unknown, unknown] {
  if (Array.isArray(member)) {
    if (member.length !== 2) throw new Error('must hold pairs of a name and a value');
    return [member[0], member[1]];
  }
  const { name, key, value, ...others } = readObject(member);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`must hold {name, value} alone, not ${several([other])}`);
  return [name ?? key, value];
}

function readFieldValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return readString(value);
}

/** Tags by name, id or URI, before any is looked up. */
function readNamedTags(value: unknown, context: ReferenceContext): { ids: number[]; names: string[] } {
  const ids: number[] = [];
  const names: string[] = [];
  for (const member of value === null ? [] : readList(value, 1000)) {
    // A text of digits is a name here ("2030"): what is not found by name is made.
    if (typeof member === 'number' || (typeof member === 'string' && /\/rest\/+v1\//.test(member))) {
      ids.push(readReference(context, 'tag', member));
      continue;
    }
    const name = readLine(member).trim();
    if (!name || name.length > 255) throw new Error('must have names of 1 to 255 characters');
    names.push(name);
  }
  return { ids, names };
}

/** A name nobody has used becomes a tag. @returns ids */
async function readTags(value: unknown, context: InputContext): Promise<number[]> {
  const { sql, registry } = context;
  const { ids, names } = readNamedTags(value, context);
  const missing = await missingIds(sql, registry, 'tag', ids);
  if (missing.length) throw new Error(`refers to nothing: there is no tag ${several(missing)}`);
  await sql('insert into core_tag (name) select distinct unnest($1::text[]) on conflict (name) do nothing', [names]);
  const rows = await sql<{ id: number }>('select id from core_tag where name = any($1::text[])', [names]);
  return [...new Set([...ids, ...rows.map(({ id }) => id)])];
}

/** Users who are named as references, never by email. */
function readReviewerIds(value: unknown, context: ReferenceContext): number[] {
  return (value === null ? [] : readList(value, 100)).map((member) => readReference(context, 'user', member));
}

/** @returns ids */
async function readReviewers(value: unknown, context: InputContext, stored?: readonly number[]): Promise<number[]> {
  return resolveUsers(readReviewerIds(value, context), context, stored);
}

/** What is wrong with a rate, by its field: for a form that is refused for something else already. */
export function rateErrors(value: unknown): Record<string, string[]> {
  try {
    readRate(value);
    return {};
  } catch (error) {
    return { mails_per_second: [`mails_per_second ${(error as Error).message}.`] };
  }
}
