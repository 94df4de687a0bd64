import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { likeText } from '../../domain/like.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { MAX_INT } from '../../domain/values.ts';
import type { SubscriptionStatus } from '../../domain/words.ts';
import { addressKey } from '../../mail/address.ts';
import { ERASED } from './erased.ts';

// People by what is known of them. Each way to look begins with how something begins, goes along one index and reads a page of it, however many there are.

export interface FoundPerson {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  city: string;
  state: string;
  country: string;
  subscription_status: SubscriptionStatus;
  created_at: string;
}

/** What words are looked for in: an address, the last name, the first name, both. */
export const WAYS = ['address', 'last_name', 'first_name', 'name'] as const;
export type Way = (typeof WAYS)[number];

/** Where a page of one way ended: what stood in its index there, and the id. */
export type Place = [text: string, id: number];

export interface FoundPage {
  people: FoundPerson[];
  /** Null where nobody comes behind. */
  next: Place | null;
}

/** More words than a name has; each one more is another way to part them. */
const MOST_WORDS = 4;
export const LONGEST_SEARCH = 200;

const COLUMNS = `id, email, first_name, last_name, city, state, country, subscription_status, ${timestampSql('created_at')} as created_at`;

/** The ways that make sense for what was typed. */
export function waysFor(words: string): Way[] {
  if (words.includes('@')) return ['address'];
  const many = words.split(/\s+/).length;
  return many === 1 ? ['last_name', 'first_name', 'address'] : many <= MOST_WORDS ? ['name', 'last_name'] : ['last_name'];
}

/** A page of the people found one way, in the order of what was looked in. @param after where the page before ended */
export async function findPeople(sql: Sql, way: Way, words: string, limit: number, after: Place | null = null): Promise<FoundPage> {
  const order = await orderOfSigns(sql);
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const begins = (column: string, text: string) => `${column}${order} like ${bind(`${likeText(text)}%`, 'text')}`;
  const behind = (column: string) => (after ? ` and (${column}${order}, id) > (${bind(after[0], 'text')}, ${bind(after[1], 'int')})` : '');
  const from = (column: string, conditions: string[]) =>
    `(select ${COLUMNS}, ${column}${order} as at from core_user where ${conditions.join(' and ')}${behind(column)} order by ${column}${order}, id limit ${limit + 1})`;
  const spelled = (column: string, text: string) =>
    `(${spellings(text)
      .map((each) => begins(column, each))
      .join(' or ')})`;
  const parts =
    way === 'address'
      ? [from('lower(email)', [begins('lower(email)', lowerCase(words))])]
      : way === 'name'
        ? names(words).flatMap(([first, last]) =>
            spellings(last).map((each) => from('last_name', [begins('last_name', each), spelled('first_name', first)])),
          )
        : spellings(words).map((each) => from(way, [begins(way, each)]));
  if (parts.length === 0) return { people: [], next: null };
  const rows = await sql<FoundPerson & { at: string }>(
    `select * from (${parts.join(' union ')}) found order by at, id limit ${limit + 1}`,
    values,
  );
  const last = rows[limit - 1];
  return { people: rows.slice(0, limit), next: rows.length > limit && last ? [last.at, last.id] : null };
}

/** SQL behind a column: where the database sorts as a language does, what begins alike lies together by indexes of their own alone, which are in the order of signs. */
async function orderOfSigns(sql: Sql): Promise<string> {
  const [row] = await sql<{ own: boolean }>(`select to_regclass('core_user_last_name_begins_index') is not null as own`);
  return row!.own ? ' collate "C"' : '';
}

/** Names as people are written: the index knows small letters from large ones. */
function spellings(text: string): string[] {
  const small = text.toLowerCase();
  const large = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, small, text.toUpperCase(), large])];
}

/** Each way to part words into a first and a last name, whichever stands first; a comma says which. */
function names(words: string): [first: string, last: string][] {
  const [before, behind] = words.split(/\s*,\s*/, 2);
  if (before && behind) return [[behind, before]];
  const all = words.replaceAll(',', ' ').trim().split(/\s+/).slice(0, MOST_WORDS);
  const cuts = Array.from({ length: all.length - 1 }, (_, n) => [all.slice(0, n + 1).join(' '), all.slice(n + 1).join(' ')] as const);
  return cuts.flatMap(([first, last]): [string, string][] => [
    [first, last],
    [last, first],
  ]);
}

/** The one who has this id, or this whole address, as somebody types it: however its domain is written. */
export async function findPerson(sql: Sql, typed: string): Promise<number | null> {
  const words = typed.replaceAll('\0', '').trim();
  const id = /^\d{1,10}$/.test(words) ? Number(words) : null;
  if (id !== null && id > MAX_INT) return null;
  const [row] =
    id !== null
      ? await sql<{ id: number }>('select id from core_user where id = $1', [id])
      : await sql<{ id: number }>('select id from core_user where lower(email) = $1', [addressKey(words)]);
  return row?.id ?? null;
}

export type NamedPerson = Pick<FoundPerson, 'id' | 'email' | 'first_name' | 'last_name'>;

/** Who these are. */
export const namePeople = async (sql: Sql, ids: readonly number[]): Promise<NamedPerson[]> =>
  ids.length === 0 ? [] : sql<NamedPerson>('select id, email, first_name, last_name from core_user where id = any($1::int[])', [ids]);

/** Who came last, of those there still is something of. */
export const newestPeople = (sql: Sql, limit: number): Promise<FoundPerson[]> =>
  sql<FoundPerson>(`select ${COLUMNS} from core_user u where not ${ERASED} order by id desc limit $1`, [limit]);
